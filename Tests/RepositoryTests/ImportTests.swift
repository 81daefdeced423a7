import Testing

@Suite("Imports") struct ImportTests {
    /// Modules of the system and the toolchain.
    private static let system: Set = [
        "CoreLocation", "Darwin", "Dispatch", "Foundation", "FoundationEssentials", "FoundationNetworking", "Glibc",
        "PackageDescription", "RegexBuilder",
        "Synchronization", "Testing", "XCTest",
    ]

    @Test("no file imports what its target does not declare")
    func declared() throws {
        let owners = try Self.owners()
        expectNone(
            Self.swiftFiles.flatMap { file -> [Violation] in
                guard let target = owners[file.path] else {
                    return [
                        Violation(path: file.path, remedy: "belongs to no target: name its folder in Package.swift")
                    ]
                }
                return imports(of: file).compactMap { name, line in
                    if Self.system.contains(name) || target.dependencies.contains(name) { return nil }
                    return Violation(
                        path: file.path, line: line,
                        remedy: "imports \(name), which \(target.name) does not declare: leave the import out, "
                            + "or, if design and storeys allow the arrow, declare it in Package.swift")
                }
            })
    }

    @Test("no target declares what none of its files imports")
    func used() throws {
        let targets = try PackageTarget.all.get()
        let importsByFile = Dictionary(uniqueKeysWithValues: Self.swiftFiles.map { ($0.path, imports(of: $0)) })
        // The program composes everything and tests may use everything.
        let checked = targets.filter {
            $0.kind == .swift && !$0.isTest && !["fanfare", "TestSupport"].contains($0.name)
        }
        expectNone(
            checked.flatMap { target in
                let used = Set(target.sources.flatMap { importsByFile[$0] ?? [] }.map(\.name))
                return target.dependencies.subtracting(used).sorted().map { name in
                    Violation(
                        path: "Package.swift",
                        remedy: "\(target.name) declares \(name), which no file of \(target.folder) imports: "
                            + "leave the arrow out")
                }
            })
    }

    @Test("the program is made without Foundation, which would be a third of it")
    func foundation() {
        expectNone(
            Repository.sources.filter {
                $0.path.hasPrefix("Sources/") && !$0.path.hasPrefix("Sources/Clients/FanfareCloudKit/")
            }.flatMap { file in
                imports(of: file).filter { $0.name.hasPrefix("Foundation") }.map { name, line in
                    Violation(
                        path: file.path, line: line,
                        remedy: "imports \(name): take the C library, or a module of Libraries "
                            + "(docs/decisions/0050-the-program-links-no-foundation.md)")
                }
            })
    }

    @Test("each C library is imported by one Swift module")
    func rooms() throws {
        let targets = try PackageTarget.all.get()
        expectNone(
            targets.filter { $0.kind == .room && $0.storey != nil }.compactMap { room in
                let importers = targets.filter {
                    $0.kind == .swift && !$0.isTest && $0.dependencies.contains(room.name)
                }
                if importers.count == 1, importers[0].storey == "Libraries" { return nil }
                let names = importers.map(\.name).sorted().joined(separator: ", ")
                return Violation(
                    path: room.folder,
                    remedy: "is imported by \(names.isEmpty ? "no module" : names): one module of Libraries gives the "
                        + "library a Swift form, and all others use that")
            })
    }

    @Test(
        "imports are recognised in all their forms",
        arguments: [
            ("import JSON", "JSON"), ("package import Foundation", "Foundation"),
            ("@testable import Matching", "Matching"), ("    internal import struct Foundation.URL", "Foundation"),
            ("@preconcurrency public import Dispatch", "Dispatch"), ("// import JSON", nil), ("important(JSON)", nil),
        ] as [(String, String?)])
    func forms(line: String, name: String?) {
        #expect(imports(of: TextFile(path: "", text: line)).first?.name == name)
    }

    private static let swiftFiles =
        Repository.sources + Repository.tests + Repository.benchmarks
        + Repository.examples.filter { !$0.path.hasSuffix("/Package.swift") }

    private static func owners() throws -> [String: PackageTarget] {
        var owners: [String: PackageTarget] = [:]
        for target in try PackageTarget.all.get() {
            for source in target.sources { owners[source] = target }
        }
        // What targets link to takes part as a link only.
        let shared = ["Sources/LanguageFeatures.swift", "Tests/Fuzz/Fuzzer.swift"]
        for path in shared { owners[path] = owners["Tests/Fuzz/JSON/FuzzJSON.swift"] }
        return owners
    }
}

/// The modules that a Swift file imports, with the lines.
func imports(of file: TextFile) -> [(name: String, line: Int)] {
    let pattern =
        /^\s*(?:@\w+\s+)*(?:(?:public|package|internal|fileprivate|private)\s+)?import\s+(?:(?:struct|class|enum|protocol|typealias|func|var|let)\s+)?(\w+)/
    return file.numbered.compactMap { number, line in
        guard line.holds("import ") else { return nil }
        return line.firstMatch(of: pattern).map { (String($0.output.1), number) }
    }
}
