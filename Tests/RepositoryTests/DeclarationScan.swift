/// Finds the declarations of a Swift file that other modules see. A scanner of lines, no parser: attributes and
/// ordinary comments may be between a declaration and its `///`.
struct DeclarationScan {
    /// Declarations and requirements of protocols without a documentation comment, with their names.
    var undocumented: [(name: String, line: Int)] = []
    /// The requirements that have one, each with the protocols that make it.
    var requirements: [String: Set<String>] = [:]

    init(_ file: TextFile) {
        var isDocumented = false
        var isInText = false
        /// The line that ends the protocol that is being read.
        var protocolEnd: String?
        var protocolName = ""
        for (number, line) in file.numbered {
            let wasInText = isInText
            if line.holds("\"\"\""), line.ranges(of: "\"\"\"").count % 2 == 1 { isInText.toggle() }
            if wasInText { continue }
            let text = Substring(line.utf8.drop { $0 == UInt8(ascii: " ") })
            let indent = line[..<text.startIndex]
            if text.hasPrefix("///") {
                isDocumented = true
                continue
            }
            if line == protocolEnd { protocolEnd = nil }
            if let end = protocolEnd, end == indent.dropLast(4) + "}", let name = Self.requirement(text) {
                if isDocumented {
                    requirements[name, default: []].insert(protocolName)
                } else {
                    undocumented.append((name, number))
                }
                isDocumented = false
            } else if let name = Self.declaration(text) {
                let rest = file.lines[(number - 1)...]
                let signature = rest[...(rest.firstIndex { $0.contains("{") } ?? rest.startIndex)].joined()
                // What cannot fail takes the values of documented properties, and says no more than they do.
                let isPlain = name.hasPrefix("init") && !signature.contains("throws") && !name.hasSuffix("?")
                if !isDocumented, !isPlain, !Self.isStoredProperty(text) { undocumented.append((name, number)) }
                isDocumented = false
                if text.contains(/\bprotocol \w/), !text.hasSuffix("}") {
                    protocolEnd = indent + "}"
                    protocolName = name
                }
            } else if !(text.hasPrefix("@") || text.hasPrefix("//") || text.hasPrefix("#")) {
                isDocumented = false
            }
        }
    }

    private static func declaration(_ text: Substring) -> String? {
        guard text.holds("package") || text.holds("public") || text.holds("open") else { return nil }
        let pattern =
            /^(?:@\w+(?:\([^)]*\))?\s+)*(?:(?:final|static|indirect|nonisolated|mutating)\s+)*(?:package|public|open)\s+(?:(?:private|fileprivate|internal)\(set\)\s+)?(?!import\b|extension\b)(.*)/
        return text.firstMatch(of: pattern).flatMap { name(in: $0.output.1) }
    }

    /// A stored property, whose name usually says everything.
    private static func isStoredProperty(_ text: Substring) -> Bool {
        text.contains(/\b(?:let|var) \w/) && !text.hasSuffix("{") && !text.contains(/\{ .* \}$/)
    }

    private static func requirement(_ text: Substring) -> String? {
        text.contains(/^(?:static |mutating )*(?:func|var|init|subscript|associatedtype)\b/) ? name(in: text) : nil
    }

    private static func name(in text: Substring) -> String? {
        if let name = text.firstMatch(of: /\b(?:init\b\??|subscript\b)/) { return String(name.output) }
        let pattern =
            /\b(?:func|var|let|struct|class|enum|actor|protocol|typealias|associatedtype|case|macro)\s+([^\s(:<=]+|[=<]+)/
        return text.firstMatch(of: pattern).map { String($0.output.1) }
    }
}
