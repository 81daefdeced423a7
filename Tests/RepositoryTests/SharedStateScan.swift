/// The stored variables of a module's types, and the files that change each. A scanner of words, no compiler:
///
/// - A variable is a stored `var` that other files may change: neither `private` nor `private(set)`, nor `fileprivate`.
/// - A change is, within a body of the type itself or an extension of it: an assignment to the variable, to a part or
///   an element of it (`name =`, `name.part +=`, `name[key] =`), `&name`, or a call of a mutating method of the
///   standard library (`name.append(`, `name[key].removeAll(`). A line that declares a constant or variable of that
///   name is none.
/// - Changes through a value of the type (`machine.name = 1` in another type) and through own mutating methods are not
///   seen.
struct SharedStateScan {
    struct Variable: Hashable {
        var type: String
        var name: String
    }

    /// The files that change each variable, in order.
    private(set) var changes: [Variable: [String]] = [:]

    private static let mutating: Set<Substring> = [
        "append", "insert", "remove", "removeAll", "removeFirst", "removeLast", "removeValue", "removeSubrange",
        "popFirst", "popLast", "sort", "reverse", "swapAt", "formUnion", "formIntersection", "subtract", "update",
        "merge",
        "toggle", "reserveCapacity", "replaceSubrange", "negate",
    ]

    /// The files of one module.
    init(_ files: [TextFile]) {
        let codes = files.map { ($0.path, SwiftCode($0)) }
        let parts = codes.map { path, code in (path, code, StructureScan(code)) }
        var variables: [String: Set<String>] = [:]
        for (_, code, scan) in parts {
            for type in scan.declarations where type.kind == .type {
                variables[type.name, default: []].formUnion(Self.variables(of: type, in: code, scan))
            }
        }
        for (path, code, scan) in parts {
            for body in scan.declarations where [.type, .extension].contains(body.kind) {
                let type = String(body.name.split(separator: ".").last ?? "")
                guard let names = variables[type], !names.isEmpty else { continue }
                for name in Self.changed(names, in: code.lines[(body.lines.lowerBound - 1)..<body.lines.upperBound]) {
                    let variable = Variable(type: type, name: name)
                    if changes[variable, default: []].last != path { changes[variable, default: []].append(path) }
                }
            }
        }
    }

    private static func variables(
        of type: StructureScan.Declaration, in code: SwiftCode, _ scan: StructureScan
    ) -> [String] {
        let inner = scan.declarations.filter { $0.depth > type.depth && type.lines.contains($0.lines.lowerBound) }
        return type.lines.compactMap { number in
            let words = code.lines[number - 1].split(separator: " ")
            guard let index = words.firstIndex(of: "var"), words.count > index + 1,
                // `private`, `private(set)` and the like; `static` is not the value's.
                !words[..<index].contains(where: { $0.contains("private") || $0 == "static" || $0 == "case" }),
                words[..<index].allSatisfy({ $0.allSatisfy { $0.isLetter || "@()_".contains($0) } }),
                // Inside of a function or an inner type, or computed.
                !inner.contains(where: { $0.lines.contains(number) && $0.lines.lowerBound < number }),
                !inner.contains(where: { $0.kind == .function && $0.lines.lowerBound == number && !observes($0, code) })
            else { return nil }
            return String(words[index + 1].prefix { $0.isLetter || $0.isNumber || $0 == "_" })
        }
    }

    private static func observes(_ property: StructureScan.Declaration, _ code: SwiftCode) -> Bool {
        property.lines.contains { code.lines[$0 - 1].holds("didSet") || code.lines[$0 - 1].holds("willSet") }
    }

    private static func changed(_ names: Set<String>, in lines: ArraySlice<String>) -> Set<String> {
        var found: Set<String> = []
        for line in lines {
            for name in names where !found.contains(name) && line.holds(name) && changes(name, line: line) {
                found.insert(name)
            }
        }
        return found
    }

    private static func changes(_ name: String, line: String) -> Bool {
        line.ranges(of: name).contains { range in
            let before = line[..<range.lowerBound]
            let isSelf = before.hasSuffix("self.")
            if !isSelf, let last = before.last, last.isLetter || last.isNumber || "._".contains(last) { return false }
            let declares = ["let", "var", "case"].contains(before.split(separator: " ").last ?? "")
            if declares { return false }
            if before.hasSuffix("&") && !before.hasSuffix("&&") { return true }
            return isChange(line[range.upperBound...])
        }
    }

    /// Returns true if the text behind a variable's name assigns, or calls a mutating method of it or of a part.
    private static func isChange(_ text: Substring) -> Bool {
        var rest = text
        if let first = rest.first, first.isLetter || first.isNumber || first == "_" { return false }
        while let first = rest.first {
            if first == "[" {
                rest = afterBracket(rest)
            } else if first == "." {
                let word = rest.dropFirst().prefix { $0.isLetter || $0.isNumber || $0 == "_" }
                rest = rest.dropFirst(1 + word.count)
                if rest.first == "(" { return mutating.contains(word) }
            } else if first == "?" || first == "!" {
                if rest.hasPrefix("!=") { return false }
                rest = rest.dropFirst()
            } else {
                break
            }
        }
        return rest.prefixMatch(of: /\s+(?:[-+*\/%|^]|&[-+*]?|<<|>>)?=\s/) != nil
    }

    private static func afterBracket(_ text: Substring) -> Substring {
        var depth = 0
        for index in text.indices {
            if text[index] == "[" { depth += 1 }
            if text[index] == "]" { depth -= 1 }
            if depth == 0 { return text[text.index(after: index)...] }
        }
        return ""
    }
}
