import Foundation

/// The words of docs/writing.md that comments, test titles and documents do without.
enum Wording {
    /// A pattern and what to write instead.
    struct Rule: Sendable {
        var name: String
        /// A line without any of these words, in lower case, is not searched.
        var hints: [String]
        var pattern: String
        var remedy: String
    }

    static let rules = [
        Rule(
            name: "told", hints: ["told", "tell"], pattern: #"\b(?:un)?(?:told|tells?|telling)\b"#,
            remedy: "a callback is called, a waiter is woken, an error is returned, an offset is reported"),
        Rule(
            name: "who", hints: ["who"], pattern: #"\b(?:who|whom|whoever|whomever|whosoever)\b"#,
            remedy: "name the caller, poll, reader or process; “who” is for people"),
        Rule(
            name: "what is", hints: ["what"],
            pattern:
                #"\bwhat(?:ever)? (?:is|are|was|were|has|had|have|comes|came|waits|stands|stood|remains|belongs)\b"#,
            remedy: "use a noun"),
        Rule(
            name: "anew", hints: ["anew", "for ever", "whosesoever", "henceforth"],
            pattern: #"\b(?:anew|for ever|whosesoever|henceforth)\b"#,
            remedy: "write again, recreated, rebuilt or forever"),
        Rule(
            name: "stands", hints: ["stand", "stood"],
            pattern:
                #"\b(?:stands|stood|stand|standing) (?:in|at|on|there|beside|above|below|behind|before|after|here|elsewhere)\b"#,
            remedy: "write is, or is in"),
        Rule(
            name: "section", hints: ["section", "issue ", "choice"],
            pattern: #"\b(?:spec|design)(?:'s)? sections?\b|\bissue \d+\b|(?<!choices\.md, )\bchoices? \d+\b"#,
            remedy: "cite docs/cloudkit.md#heading or docs/choices.md, N"),
    ]

    private static let refusedInNames: Set = ["told", "tell", "tells", "whoever", "anew"]

    /// Returns false, without a look at words, for a line that no refused name can be in.
    static func mayHoldRefusedName(_ line: String) -> Bool {
        ["old", "ell", "hoever", "new"].contains { line.holds($0) }
    }

    /// Returns true if one of the words of a name, in camel case or between underscores, is refused.
    static func isRefused(_ name: String) -> Bool {
        name.matches(of: /[A-Z]?[a-z]+/).contains { refusedInNames.contains($0.output.lowercased()) }
    }

    /// People directly before the word.
    static let people: Set = [
        "people", "person", "persons", "somebody", "someone", "anybody", "anyone", "nobody", "everybody", "everyone",
        "user", "users", "participant", "participants", "owner", "owners", "developer", "developers", "operator",
        "operators", "administrator", "administrators", "attacker", "attackers", "stranger", "strangers", "those",
        "customer", "customers", "author", "authors", "contributor", "contributors", "engineer", "engineers", "friend",
        "friends", "others", "other", "newcomer", "newcomers", "visitor", "visitors", "creator", "victim", "guest",
        "guests", "one", "he", "she", "they", "human", "member",
    ]

    /// A place of one line that breaks a rule.
    struct Finding: Equatable {
        var line: Int
        var rule: String
        var text: String
    }

    /// The findings of a file, by its kind.
    static func findings(in file: TextFile) -> [Finding] {
        var isCode = false
        let isDocument = file.path.hasSuffix(".md")
        return file.numbered.flatMap { number, line -> [Finding] in
            if isDocument, line.drop(while: { $0 == " " }).hasPrefix("```") {
                isCode.toggle()
                return []
            }
            if isCode { return [] }
            return prose(of: line, in: file.path).flatMap { text in
                violations(in: text).map { Finding(line: number, rule: $0, text: text) }
            }
        }
    }

    /// The names of the rules that a text breaks.
    static func violations(in text: String) -> [String] {
        let low = text.lowercased()
        return rules.filter { rule in
            guard rule.hints.contains(where: low.holds),
                let expression = try? NSRegularExpression(pattern: rule.pattern)
            else { return false }
            let whole = NSRange(low.startIndex..., in: low)
            return expression.matches(in: low, range: whole).contains { match in
                guard rule.name == "who", let range = Range(match.range, in: low) else { return true }
                let before = low[..<range.lowerBound].split { !$0.isLetter && $0 != "'" }
                // A preposition may be between the noun and the pronoun.
                let noun = before.last { !["of", "for", "to", "by", "with", "and", "or", "from"].contains($0) }
                return !people.contains(noun.map(String.init) ?? "")
            }
        }.map(\.name)
    }

    /// The prose of a line: comments and titles of tests and of conformance checks in code, everything but code in a document.
    static func prose(of line: String, in path: String) -> [String] {
        let withoutCode = { (text: Substring) in String(text).replacing(/`[^`]*`/, with: "``") }
        switch path.split(separator: ".").last {
        case "md": return [withoutCode(line[...])]
        case "swift", "proto", "c", "h", "pml":
            var found: [String] = []
            if line.holds("//"), let match = line.firstMatch(of: /(?:^|\s)(\/\/.*)$/),
                !line[..<match.range.lowerBound].contains("\"")
            {
                found.append(withoutCode(match.output.1))
            }
            if line.holds("@Test(") || line.holds("@Suite("),
                let match = line.firstMatch(of: /@(?:Test|Suite)\(\s*"((?:[^"\\]|\\.)*)"/)
            {
                found.append(withoutCode(match.output.1))
            }
            if line.holds("func `"), let match = line.firstMatch(of: /func `([^`]*)`/) {
                found.append(String(match.output.1))
            }
            if line.holds("Check(\""), let match = line.firstMatch(of: /Check\(\s*"((?:[^"\\]|\\.)*)"/) {
                found.append(withoutCode(match.output.1))
            }
            return found
        default:
            guard line.holds("#"), let match = line.firstMatch(of: /(?:^|\s)#(?!!)(.*)$/) else { return [] }
            return [withoutCode(match.output.1)]
        }
    }
}
