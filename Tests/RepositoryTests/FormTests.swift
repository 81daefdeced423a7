import Testing

/// The form of a file: what a newcomer expects to find behind its name, and how much at once.
@Suite("Form of files") struct FormTests {
    private static let typesMax = 3
    private static let functionLinesMax = 50

    /// Files that are named after none of their types, each with its reason.
    private static let namedOtherwise = [
        "Sources/LanguageFeatures.swift": "declares nothing: it refuses to compile without the language features"
    ]

    /// Words that begin a clause about the thing instead of naming it.
    private static let relativeWords: Set = [
        "What", "Who", "Whose", "Whether", "Where", "When", "How", "Which", "That", "Why", "Whom", "Whoever",
        "Whatever",
        "Nobody", "Nothing",
    ]

    private static let scans = Repository.heldSources.map { ($0, StructureScan($0)) }

    @Test("a file is named after a type that it declares or extends")
    func names() {
        expectNone(
            Self.scans.compactMap { file, scan in
                if Self.namedOtherwise[file.path] != nil { return nil }
                return Self.isNamedAfterType(file, scan)
                    ? nil
                    : Violation(
                        path: file.path,
                        remedy:
                            "holds no type of its name: name it after its main type, `Type+Aspect.swift` when it extends "
                            + "one; make functions without a type members of one")
            })
    }

    @Test("the list of other names has files that exist")
    func otherNames() {
        expectNone(
            Self.namedOtherwise.keys.filter { !Repository.exists($0) }.map {
                Violation(path: $0, remedy: "is gone: take it from the list in FormTests.swift")
            })
    }

    @Test("a file declares few types at its top")
    func types() {
        expectNone(
            Self.scans.filter { $0.1.topLevelTypes.count > Self.typesMax }.map { file, scan in
                Violation(
                    path: file.path,
                    remedy: "declares \(scan.topLevelTypes.joined(separator: ", ")), \(Self.typesMax) is the most: "
                        + "give each main type a file")
            })
    }

    @Test("a function fits a screen")
    func functions() {
        expectNone(
            Self.scans.flatMap { file, scan in
                scan.declarations.filter { $0.kind == .function && $0.lines.count > Self.functionLinesMax }.map {
                    Violation(
                        path: file.path, line: $0.lines.lowerBound,
                        remedy: "`\($0.name)` has \($0.lines.count) lines, \(Self.functionLinesMax) is the most: "
                            + "take a step out of it")
                }
            })
    }

    @Test("the C library is imported where it is known to exist")
    func platformImports() {
        expectNone(
            Repository.heldSources.flatMap { file in
                Self.barePlatformImports(file).map {
                    Violation(
                        path: file.path, line: $0,
                        remedy: "imports a C library of one platform: put it between #if canImport(Glibc) and #endif")
                }
            })
    }

    @Test("a documentation comment begins with a noun or a verb")
    func documentation() {
        expectNone(
            Repository.heldSources.flatMap { file in
                Self.relativeComments(file).map { line, word in
                    Violation(
                        path: file.path, line: line,
                        remedy: "begins with “\(word)”: say what it is (“The records that…”), or what it does "
                            + "(“Returns true if…”)")
                }
            })
    }

    @Test(
        "names are compared with what a file declares and extends",
        arguments: [
            ("A.swift", "struct A {}", true), ("A.swift", "final class A<B>: C {}", true),
            ("A.swift", "struct B {}", false),
            ("A.swift", "func a() {}", false), ("A.swift", "// struct A {}", false),
            ("A.swift", "typealias A = B", true),
            ("A.swift", "extension B {\n    struct A {}\n}", true), ("A+B.swift", "extension A {\n}", true),
            ("A+B.swift", "extension C {\n}", false), ("AB.swift", "extension A.B {\n}", true),
            ("B+C.swift", "extension A.B {\n}", true),
            ("A.swift", "let a = \"\"\"\n    struct A {}\n    \"\"\"", false),
        ])
    func nameScanner(name: String, text: String, isNamed: Bool) {
        let file = TextFile(path: "Sources/X/" + name, text: text)
        #expect(Self.isNamedAfterType(file, StructureScan(file)) == isNamed)
    }

    @Test(
        "types at the top of a file are counted",
        arguments: [
            ("struct A {\n    struct B {}\n}\nprivate enum C {}", ["A", "C"]),
            ("package protocol A {\n    func a()\n    var b: Int { get }\n}\nactor B {}", ["A", "B"]),
            ("extension A {\n    final class B {}\n}", []), ("@frozen package struct A {}", ["A"]),
            ("let a = \"struct A { \\(b(\"}\")) {\"\nclass B {\n}", ["B"]), ("/* struct A {} */ struct B {}", ["B"]),
        ])
    func typeScanner(text: String, types: [String]) {
        #expect(StructureScan(TextFile(path: "", text: text)).topLevelTypes == types)
    }

    @Test(
        "lines of functions are counted",
        arguments: [
            ("func a() {\n    b()\n}", ["a": 3]), ("func a(\n    b: Int\n) {\n    if c {\n    }\n}", ["a": 6]),
            ("var a: Int {\n    1\n}\nlet b = c.map {\n}", ["a": 3]), ("struct S {\n    var a = 1\n}", [:]),
            ("init(a: String = \"{\") {\n}", ["init": 2]), ("func a() {\n    func b() {\n    }\n}", ["a": 4, "b": 2]),
            ("func a() -> String {\n    #\"}\"# + \"\\(b { 1 })\"\n}", ["a": 3]),
            ("protocol P {\n    func a()\n}", [:]),
        ])
    func functionScanner(text: String, lines: [String: Int]) {
        let functions = StructureScan(TextFile(path: "", text: text)).declarations.filter { $0.kind == .function }
        #expect(Dictionary(uniqueKeysWithValues: functions.map { ($0.name, $0.lines.count) }) == lines)
    }

    @Test(
        "bare imports of a C library are found",
        arguments: [
            ("import Glibc", [1]), ("import Foundation\nprivate import Darwin", [2]),
            ("#if DEBUG\nimport Glibc\n#endif", [2]),
            (
                "#if canImport(Glibc)\n    import Glibc\n#elseif canImport(Darwin)\n    import Darwin\n#endif\nimport Musl",
                [6]
            ),
            ("#if canImport(Darwin)\n    import Darwin\n#else\n    import Glibc\n#endif", []), ("// import Glibc", []),
        ])
    func importScanner(text: String, lines: [Int]) {
        #expect(Self.barePlatformImports(TextFile(path: "", text: text)) == lines)
    }

    @Test(
        "relative clauses are found in the first line of a comment only",
        arguments: [
            ("/// What a thing is.\nlet a = 1", [1]), ("/// A thing.\n/// What it does.\nlet a = 1", []),
            ("/// Returns true if it is.\n    /// Whether it is.", []), ("// What it is.", []),
            ("/// A.\nlet a = 1\n    /// Whether, b.\nlet b = 1", [3]), ("/// Whatsoever.", []),
        ])
    func commentScanner(text: String, lines: [Int]) {
        #expect(Self.relativeComments(TextFile(path: "", text: text)).map(\.line) == lines)
    }

    /// `Type.swift` and `Type+Aspect.swift`; a nested type gives its own name or the whole path without dots.
    private static func isNamedAfterType(_ file: TextFile, _ scan: StructureScan) -> Bool {
        let name = file.path.split(separator: "/").last!.dropLast(".swift".count).prefix { $0 != "+" }
        return scan.declarations.contains { declaration in
            guard [.type, .alias, .extension].contains(declaration.kind) else { return false }
            let path = declaration.name.split(separator: ".")
            return path.last == name || path.joined() == name
        }
    }

    /// The numbers of lines that import a C library outside of `#if canImport`.
    private static func barePlatformImports(_ file: TextFile) -> [Int] {
        var conditions: [Bool] = []
        return file.numbered.compactMap { number, line in
            let words = line.split(separator: " ")
            guard let first = words.first else { return nil }
            switch first {
            case "#if": conditions.append(line.holds("canImport("))
            case "#endif": _ = conditions.popLast()
            case "import", "private", "internal", "package", "public", "fileprivate", "@_exported", "@preconcurrency":
                let platform: Set<Substring> = ["Glibc", "Darwin", "Musl"]
                guard words.contains("import"), let module = words.last, platform.contains(module) else { return nil }
                return conditions.contains(true) ? nil : number
            default: break
            }
            return nil
        }
    }

    private static func relativeComments(_ file: TextFile) -> [(line: Int, word: String)] {
        var wasComment = false
        return file.numbered.compactMap { number, line in
            let text = line.drop { $0 == " " }
            let isFirst = text.hasPrefix("///") && !wasComment
            wasComment = text.hasPrefix("///")
            guard isFirst else { return nil }
            let word = String(text.dropFirst(3).drop { $0 == " " }.prefix(while: \.isLetter))
            return relativeWords.contains(word) ? (number, word) : nil
        }
    }
}
