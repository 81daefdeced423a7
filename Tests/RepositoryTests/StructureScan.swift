/// The types and functions of a Swift file. A scanner of braces, no parser: the last line with a declaration before a
/// brace says what the brace opens.
struct StructureScan {
    struct Declaration: Equatable {
        enum Kind { case type, alias, `extension`, function, constant }

        var kind: Kind
        /// The name as written; for an extension the whole path (`Outer.Inner`).
        var name: String
        /// Declarations around it; 0 is the top of the file.
        var depth: Int
        /// Counted from 1, from the declaration to its closing brace.
        var lines: ClosedRange<Int>
    }

    private(set) var declarations: [Declaration] = []

    /// Types declared at the top of the file, in order.
    var topLevelTypes: [String] {
        declarations.filter { $0.kind == .type && $0.depth == 0 }.sorted { $0.lines.lowerBound < $1.lines.lowerBound }
            .map(\.name)
    }

    init(_ file: TextFile) { self.init(SwiftCode(file)) }

    init(_ code: SwiftCode) {
        var open: [Declaration?] = []
        var pending: Declaration?
        for (index, line) in code.lines.enumerated() {
            if let found = Self.declaration(in: line, number: index + 1) {
                pending = [.alias, .constant].contains(found.kind) ? nil : found
                if found.kind == .alias {
                    declarations.append(found.at(depth: open.count { $0 != nil }, end: index + 1))
                }
            }
            for byte in line.utf8 {
                switch byte {
                case UInt8(ascii: "{"):
                    open.append(pending?.at(depth: open.count { $0 != nil }, end: index + 1))
                    pending = nil
                case UInt8(ascii: "}"):
                    if let ended = open.popLast() ?? nil {
                        declarations.append(ended.at(depth: ended.depth, end: index + 1))
                    }
                    // A requirement of a protocol has no braces.
                    pending = nil
                default: break
                }
            }
        }
        declarations.sort { $0.lines.lowerBound < $1.lines.lowerBound }
    }

    private static let modifiers: Set = [
        "package", "public", "internal", "private", "fileprivate", "open", "final", "indirect", "static", "class",
        "nonisolated", "mutating", "borrowing", "consuming", "convenience", "required", "override", "lazy", "unowned",
        "weak", "isolated",
    ]

    private static func declaration(in line: String, number: Int) -> Declaration? {
        var words = line.split(separator: " ")[...]
        var last: Substring?
        while let word = words.first {
            if !word.hasPrefix("@"), !modifiers.contains(String(word.prefix(while: \.isLetter))) { break }
            last = word
            words = words.dropFirst()
        }
        guard let word = words.first else { return nil }
        let keyword = word.prefix(while: \.isLetter)
        let name = ["init", "deinit", "subscript"].contains(keyword) ? keyword : words.dropFirst().first ?? ""
        let kind: Declaration.Kind
        switch keyword {
        case "struct", "enum", "actor", "protocol": kind = .type
        case "extension": kind = .extension
        case "typealias": kind = .alias
        case "let", "case": kind = .constant
        case "func", "var", "init", "deinit", "subscript": kind = .function
        // `class` is a modifier as well.
        default:
            guard last == "class" else { return nil }
            return Declaration(kind: .type, name: Self.identifier(word), depth: 0, lines: number...number)
        }
        return Declaration(kind: kind, name: Self.identifier(name), depth: 0, lines: number...number)
    }

    private static func identifier(_ word: Substring) -> String {
        String(word.prefix { $0.isLetter || $0.isNumber || $0 == "_" || $0 == "." })
    }
}

extension StructureScan.Declaration {
    fileprivate func at(depth: Int, end: Int) -> Self {
        var declaration = self
        declaration.depth = depth
        declaration.lines = lines.lowerBound...max(end, lines.lowerBound)
        return declaration
    }
}
