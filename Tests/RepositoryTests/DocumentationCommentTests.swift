import Testing

@Suite("Documentation comments") struct DocumentationCommentTests {
    @Test("what crosses a module has a documentation comment")
    func documented() {
        expectNone(
            Repository.sources.filter { !$0.isGenerated }.flatMap { file in
                undocumentedDeclarations(in: file).map { line in
                    Violation(
                        path: file.path, line: line,
                        remedy: "is seen by other modules: say in one /// sentence what it is, "
                            + "then units, errors, threads, ownership")
                }
            })
    }

    @Test(
        "declarations without a comment are found",
        arguments: [
            ("package struct A {}", [1]),
            ("/// A thing.\npackage struct A {}", []),
            ("/// A thing.\n@frozen\n@available(macOS 15, *)\npackage struct A {}", []),
            ("/// A thing.\npackage import Foundation", []),
            ("// Not a documentation comment.\npackage let a = 1", [2]),
            ("/// A thing.\n\npackage let a = 1", [3]),
            ("package private(set) var a = 1", [1]),
            ("@inlinable package static func a() {}", [1]),
            ("package extension A {}", []),
            ("/// Text.\npackage let a = \"\"\"\n    package let b = 1\n    \"\"\"", []),
            ("    package var description: String { \"\" }", []),
            ("/// A.\n@inlinable\n// Why it is inlined.\npackage func a() {}", []),
        ] as [(String, [Int])])
    func scanner(text: String, lines: [Int]) {
        #expect(undocumentedDeclarations(in: TextFile(path: "", text: text)) == lines)
    }
}

/// The lines of `package` and `public` declarations that no `///` stands above.
///
/// A scanner of lines, no parser: attributes and ordinary comments may stand between a declaration and its documentation.
/// What a protocol of the standard library documents (`description`, `==`, …) needs no further words.
private func undocumentedDeclarations(in file: TextFile) -> [Int] {
    let declaration =
        /^\s*(?:@\w+(?:\([^)]*\))?\s+)*(?:(?:final|static|class|override|indirect|nonisolated|mutating|convenience|required)\s+)*(?:package|public|open)(?:\s+|\(set\))(?!import\b|extension\b)\w/
    let inherited =
        /\b(?:var (?:description|debugDescription|hashValue|startIndex|endIndex)\b|func (?:==|<|hash\(into|makeIterator|encode\(to)|init\(from decoder)/
    var isDocumented = false
    var isInText = false
    var found: [Int] = []
    for (number, line) in file.numbered {
        let beginsInText = isInText
        if line.ranges(of: "\"\"\"").count % 2 == 1 { isInText.toggle() }
        if beginsInText { continue }
        let trimmed = line.drop { $0 == " " }
        if trimmed.hasPrefix("///") {
            isDocumented = true
        } else if line.contains(declaration) {
            if !isDocumented, !line.contains(inherited) { found.append(number) }
            isDocumented = false
        } else if !(trimmed.hasPrefix("@") || trimmed.hasPrefix("//") || trimmed.hasPrefix("#")) {
            isDocumented = false
        }
    }
    return found
}
