import Testing

@Suite("Documentation comments") struct DocumentationCommentTests {
    /// Requirements of the standard library's protocols, which documents them.
    private static let inherited: Set = [
        "description", "debugDescription", "rawValue", "hash", "encode", "makeIterator", "==", "<",
    ]

    /// A stored property needs none where its name says everything. An implementation of a requirement uses the words
    /// of the protocol: it is recognized by its name and the name of the protocol in the same module.
    @Test("what crosses a module has a documentation comment")
    func documented() {
        let files = Repository.sources.filter { !$0.isGenerated }
        let scans = files.map { ($0, DeclarationScan($0)) }
        var requirements: [String: Set<String>] = [:]
        for (_, scan) in scans { requirements.merge(scan.requirements) { $0.union($1) } }
        let modules = Dictionary(grouping: files, by: \.module)
        expectNone(
            scans.flatMap { file, scan in
                scan.undocumented.filter { name, _ in
                    if Self.inherited.contains(name) { return false }
                    let protocols = requirements[name] ?? []
                    return !modules[file.module]!.contains { file in protocols.contains { file.text.contains($0) } }
                }.map { name, line in
                    Violation(
                        path: file.path, line: line,
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
            ("// Not a documentation comment.\npackage func a() {}", ["a"]),
            ("/// A thing.\n\npackage func a() {}", ["a"]),
            ("package private(set) var a = 1", []), ("package let a: Int", []),
            ("package var a: Int { 1 }", ["a"]), ("package var a: Int {", ["a"]),
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

extension TextFile {
    /// The folder of the file's module.
    fileprivate var module: String { path.split(separator: "/").prefix(3).joined(separator: "/") }
}
