import Testing

@Suite("Documentation comments") struct DocumentationCommentTests {
    /// Requirements of the standard library's protocols, which documents them.
    private static let inherited: Set = [
        "description", "debugDescription", "rawValue", "hash", "encode", "makeIterator", "==", "<",
    ]

    /// What implements a requirement needs no words of its own: the protocol's hold for it. Told by its name alone.
    @Test("what crosses a module has a documentation comment")
    func documented() {
        let scans = Repository.sources.filter { !$0.isGenerated }.map { ($0.path, DeclarationScan($0)) }
        let requirements = scans.reduce(into: Self.inherited) { $0.formUnion($1.1.requirements) }
        expectNone(
            scans.flatMap { path, scan in
                scan.undocumented.filter { !requirements.contains($0.name) }.map { name, line in
                    Violation(
                        path: path, line: line,
                        remedy: "`\(name)` is seen by other modules: say in one /// sentence what it is, "
                            + "then units, errors, threads, ownership")
                }
            })
    }

    @Test(
        "declarations without a comment are found",
        arguments: [
            ("package struct A {}", ["A"]),
            ("/// A thing.\npackage struct A {}", []),
            ("/// A thing.\n@frozen\n@available(macOS 15, *)\npackage struct A {}", []),
            ("package import Foundation\npackage extension A {}", []),
            ("// Not a documentation comment.\npackage let a = 1", ["a"]),
            ("/// A thing.\n\npackage let a = 1", ["a"]),
            ("package private(set) var a = 1", ["a"]),
            ("@inlinable package static func a() {}", ["a"]),
            ("/// Text.\npackage let a = \"\"\"\n    package let b = 1\n    \"\"\"", []),
            ("/// A.\n@inlinable\n// Why it is inlined.\npackage func a() {}", []),
            ("package init(a: Int) {", []),
            ("package init(\n    a: Int\n) throws {", ["init"]),
            ("/// P.\npackage protocol P {\n    func a()\n    /// B.\n    func b()\n}\nfunc c() {}", ["a"]),
            ("package static func == (a: A, b: A) -> Bool {", ["=="]),
        ] as [(String, [String])])
    func scanner(text: String, names: [String]) {
        #expect(DeclarationScan(TextFile(path: "", text: text)).undocumented.map(\.name) == names)
    }
}
