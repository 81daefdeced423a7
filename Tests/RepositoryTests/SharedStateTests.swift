import Testing

@Suite("Shared state") struct SharedStateTests {
    private static let filesMax = 3

    @Test("a stored variable is changed in few files")
    func shared() {
        let modules = Dictionary(grouping: Repository.heldSources) { $0.path.split(separator: "/").prefix(3) }
        expectNone(
            modules.sorted { $0.value[0].path < $1.value[0].path }.flatMap { _, files in
                SharedStateScan(files).changes.filter { $0.value.count > Self.filesMax }
                    .sorted { ($0.key.type, $0.key.name) < ($1.key.type, $1.key.name) }.map { variable, paths in
                        Violation(
                            path: paths[0],
                            remedy: "`\(variable.type).\(variable.name)` is changed in \(paths.count) files: "
                                + "\(paths.joined(separator: ", ")); \(Self.filesMax) is the most. Make it private to a "
                                + "type of its own, with a method for each change")
                    }
            })
    }

    @Test(
        "changes of stored variables are found",
        arguments: [
            ("a = 1", true), ("self.a = 1", true), ("a += 1", true), ("a.b = 1", true), ("a[1] = 2", true),
            ("a[b[1]].c -= 1", true), ("a.append(1)", true), ("a[1].removeAll()", true), ("change(&a)", true),
            ("a.b.insert(1)", true), ("a?.b = 1", true), ("a &+= 1", true),
            ("let a = 1", false), ("if a == 1 {}", false), ("b.a = 1", false), ("ab = 1", false), ("c(a: 1)", false),
            ("a.count", false), ("a.map { $0 }", false), ("if a != b {}", false), ("if b && a {}", false),
            ("// a = 1", false), ("\"a = 1\"", false), ("a <= b", false),
        ])
    func scanner(statement: String, isChange: Bool) {
        let declaration = TextFile(path: "T.swift", text: "struct T {\n    var a = 1\n}")
        let use = TextFile(
            path: "T+Use.swift", text: "extension T {\n    mutating func use() {\n        \(statement)\n    }\n}")
        let changes = SharedStateScan([declaration, use]).changes
        #expect((changes[.init(type: "T", name: "a")] ?? []).contains("T+Use.swift") == isChange)
    }

    @Test(
        "only variables that other files may change are looked at",
        arguments: [
            ("var a = 1", true), ("package var a = 1", true), ("var a = 1 { didSet { b() } }", true),
            ("private var a = 1", false), ("private(set) var a = 1", false), ("static var a = 1", false),
            ("var a: Int { b }", false), ("func b() {\n        var a = 1\n    }", false),
            ("struct U {\n        var a = 1\n    }", false), ("let a = 1", false),
        ])
    func variables(declaration: String, isShared: Bool) {
        let file = TextFile(
            path: "T.swift", text: "struct T {\n    \(declaration)\n    func set() {\n        a = 2\n    }\n}")
        #expect((SharedStateScan([file]).changes[.init(type: "T", name: "a")] != nil) == isShared)
    }
}
