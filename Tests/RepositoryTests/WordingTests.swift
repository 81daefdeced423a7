import Testing

/// docs/writing.md, as far as a machine can read it.
@Suite("Wording") struct WordingTests {
    /// Files with lines that break a rule for a reason, with the number of the lines. The sum may only get smaller.
    private static let allowed: [String: (count: Int, reason: String)] = [:]
    private static let allowedMax = 0

    /// The guide names the words that it refuses.
    private static let guide = "docs/writing.md"

    private static let searched = Repository.files.filter { file in
        !file.isGenerated && file.path != guide
            && (["swift", "md", "proto", "c", "h", "pml", "py", "yaml", "yml"].contains(
                file.path.split(separator: ".").last.map(String.init) ?? "")
                || file.path.hasPrefix("scripts/") || file.path == ".ci/run" || file.path == "Makefile")
    }

    @Test("comments, test titles and documents are in plain English")
    func plainEnglish() {
        expectNone(
            Self.searched.flatMap { file -> [Violation] in
                let findings = Wording.findings(in: file)
                let allowed = Self.allowed[file.path]?.count ?? 0
                if findings.count == allowed { return [] }
                if findings.count < allowed {
                    return [
                        Violation(
                            path: file.path,
                            remedy:
                                "has \(findings.count) exceptions, the list in WordingTests.swift \(allowed): lower it")
                    ]
                }
                return findings.map { finding in
                    let rule = Wording.rules.first { $0.name == finding.rule }
                    return Violation(
                        path: file.path, line: finding.line,
                        remedy: "“\(finding.rule)”: \(rule?.remedy ?? "") (docs/writing.md)")
                }
            })
    }

    @Test("declared names are in plain English")
    func names() {
        let pattern = /\b(?:func|let|var|case|struct|class|enum|actor|typealias)\s+`?([A-Za-z_]\w*)/
        expectNone(
            Repository.files.filter { $0.path.hasSuffix(".swift") && !$0.path.hasPrefix("Tests/RepositoryTests/") }
                .flatMap { file in
                    file.numbered.filter { Wording.mayHoldRefusedName($0.line) }.flatMap { number, line in
                        line.matches(of: pattern).map { String($0.output.1) }.filter(Wording.isRefused).map { name in
                            Violation(
                                path: file.path, line: number,
                                remedy: "`\(name)`: \(Wording.rules[0].remedy) (docs/writing.md)")
                        }
                    }
                })
    }

    @Test(
        "refused words are found in names",
        arguments: [
            ("told", true), ("entryTold", true), ("tell", true), ("tellsOnce", true), ("isToldAtOnce", true),
            ("told_by_record", true), ("whoeverWaits", true), ("madeAnew", true), ("folder", false),
            ("intelligence", false), ("untellable", false), ("`told`", true), ("Stelling", false),
        ])
    func refusedNames(name: String, isRefused: Bool) {
        #expect(Wording.isRefused(name) == isRefused)
    }

    @Test("the list of exceptions names files that exist, and only gets shorter")
    func exceptions() {
        expectNone(
            Self.allowed.keys.filter { !Repository.exists($0) }.map {
                Violation(path: $0, remedy: "is gone: take it from the list in WordingTests.swift")
            })
        #expect(Self.allowed.values.map(\.count).reduce(0, +) <= Self.allowedMax)
    }

    @Test("lines of Markdown are at most 120 characters wide")
    func width() {
        expectNone(
            Self.searched.filter { $0.path.hasSuffix(".md") }.flatMap { file in
                file.numbered.filter { $0.line.count > 120 }.map { number, line in
                    Violation(
                        path: file.path, line: number,
                        remedy: "has \(line.count) characters, 120 is the most: wrap it, or make a wide table a list")
                }
            })
    }

    @Test(
        "the rules find the words that they refuse, and no others",
        arguments: [
            ("who waits is told", ["told", "who"]), ("the users who asked", []), ("nobody of whom", []),
            ("a caller who waits", ["who"]), ("What was held", ["what is"]), ("what the log has", []),
            ("a topic made anew", ["anew"]), ("for ever", ["anew"]), ("it stands in the table", ["stands"]),
            ("a standing order", []), ("spec section 5.14", ["section"]), ("issue 25", ["section"]),
            ("choice 16", ["section"]), ("docs/choices.md, 16", []), ("tells them apart", ["told"]), ("whole", []),
        ])
    func scanner(text: String, rules: [String]) {
        #expect(Wording.violations(in: text) == rules)
    }

    @Test(
        "comments, titles and prose are read, code is not",
        arguments: [
            ("a.swift", "let told = 1 // who is", ["// who is"]), ("a.swift", "let a = \"// told\"", []),
            ("a.swift", "@Test(\"who is told\")", ["who is told"]),
            ("a.swift", "@Test func \u{60}what is told\u{60}() {", ["what is told"]),
            ("a.swift", "Check(\"what is told\") { _ in", ["what is told"]), ("a.md", "told `told`", ["told ``"]),
            ("a.py", "told()  # told", [" told"]), ("scripts/a", "#!/usr/bin/env bash", []),
        ])
    func prose(path: String, line: String, texts: [String]) {
        #expect(Wording.prose(of: line, in: path) == texts)
    }
}
