/// The links, headings and tables of a Markdown file; code is left out.
struct MarkdownFile {
    var links: [(target: String, line: Int)] = []
    /// What a link's `#…` may name.
    var anchors: Set<String> = []
    /// The cells of each line of a table, or of each item `- first · second · third` of a list, delimiters of code
    /// included.
    var rows: [(cells: [String], line: Int)] = []

    init(_ file: TextFile) {
        var isCode = false
        var occurrences: [String: Int] = [:]
        /// The item that following lines continue.
        var item: (text: String, line: Int)?
        defer { if let item { rows.append((Self.cells(item.text), item.line)) } }
        for (number, line) in file.numbered {
            let start = line.drop { $0 == " " }
            if let open = item, line.hasPrefix("  "), !start.isEmpty, !start.hasPrefix("- ") {
                item = (open.text + " " + start, open.line)
            } else if let open = item {
                rows.append((Self.cells(open.text), open.line))
                item = nil
            }
            if line.hasPrefix("- `") { item = (String(line.dropFirst(2)), number) }
            if start.hasPrefix("```") || start.hasPrefix("~~~") {
                isCode.toggle()
                continue
            }
            if isCode { continue }
            // Regular expressions are slow without optimisation: only lines that may match are looked at.
            if line.hasPrefix("#"), let heading = line.wholeMatch(of: /#{1,6}\s+(.*?)\s*#*\s*/) {
                let slug = Self.slug(String(heading.output.1))
                let count = occurrences[slug, default: 0]
                occurrences[slug] = count + 1
                anchors.insert(count == 0 ? slug : "\(slug)-\(count)")
            }
            if line.holds("=\"") {
                for match in line.matches(of: /<\w+[^>]*\b(?:id|name)="([^"]+)"/) {
                    anchors.insert(String(match.output.1))
                }
            }
            if start.hasPrefix("|") {
                // A bar within code is written `\|`.
                let cells = start.replacing("\\|", with: "\u{1}").split(
                    separator: "|", omittingEmptySubsequences: false)
                rows.append(
                    (cells.dropFirst().map { String($0.replacing("\u{1}", with: "|")).trimmingSpaces }, number))
            }
            guard line.holds("](") || line.holds("]:") || line.holds("=\"") else { continue }
            let text = line.replacing(/`[^`]*`/, with: "")
            for match in text.matches(of: /\]\(\s*<?([^)\s>]+)>?[^)]*\)/) {
                links.append((String(match.output.1), number))
            }
            for match in text.matches(of: /^\s*\[[^\]]+\]:\s+(\S+)/) { links.append((String(match.output.1), number)) }
            for match in text.matches(of: /\b(?:src|href)="([^"]+)"/) { links.append((String(match.output.1), number)) }
        }
    }

    /// The first cells of tables that are nothing but code: what the row is about.
    var subjects: [String: (cells: [String], line: Int)] {
        var found: [String: (cells: [String], line: Int)] = [:]
        for row in rows {
            guard let name = row.cells.first?.wholeMatch(of: /`([^`]+)`/) else { continue }
            found[String(name.output.1)] = row
        }
        return found
    }

    /// The parts of an item: between dots, or before and after the first colon.
    private static func cells(_ item: String) -> [String] {
        let parts = item.split(separator: " · ").map { String($0) }
        guard parts.count == 1, let match = item.firstMatch(of: /^(`[^`]+`): (.*)$/) else { return parts }
        return [String(match.output.1), String(match.output.2)]
    }

    /// A heading's anchor, as GitHub and Forgejo make it.
    static func slug(_ heading: String) -> String {
        let text = heading.replacing(/\[([^\]]*)\]\([^)]*\)/) { $0.output.1 }
        return String(
            text.lowercased().compactMap { character in
                if character == " " { return "-" }
                return character.isLetter || character.isNumber || character == "-" || character == "_"
                    ? character : nil
            })
    }
}

extension String {
    fileprivate var trimmingSpaces: String {
        var text = Substring(self)
        while text.last == " " { text.removeLast() }
        return String(text.drop { $0 == " " })
    }
}
