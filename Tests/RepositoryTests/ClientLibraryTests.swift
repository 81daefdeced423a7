import Testing

/// The one part of the package that is for more than Linux (docs/decisions/0014-platforms.md). It cannot be built for
/// macOS here: what it imports is held instead.
@Suite("Client library") struct ClientLibraryTests {
    /// Core Location where it is.
    private static let allowed: Set = [
        "CoreLocation", "Foundation", "FoundationEssentials", "FoundationNetworking", "Synchronization",
    ]

    @Test("the client library and what it is made of import Foundation and each other only")
    func imports() throws {
        let targets = try PackageTarget.all.get()
        let closure = Self.closure(
            of: targets.filter { $0.storey == "Clients" || $0.name == "CloudModel" }, in: targets)
        try #require(closure.contains { $0.name == "CloudModel" })
        let names = Set(closure.map(\.name))
        let sources = Set(closure.flatMap(\.sources))
        expectNone(
            closure.filter { $0.kind != .swift }.map {
                Violation(path: $0.folder, remedy: "is no Swift module, and the client library needs it: do without")
            }
                + Repository.sources.filter { sources.contains($0.path) }.flatMap { file in
                    RepositoryTests.imports(of: file).filter {
                        !Self.allowed.contains($0.name) && !names.contains($0.name)
                    }.map { name, line in
                        Violation(
                            path: file.path, line: line,
                            remedy: "imports \(name), which an app's platform may lack: use Foundation")
                    }
                })
    }

    @Test("what dependencies depend on belongs to the closure")
    func closures() throws {
        let targets = try PackageTarget.all.get()
        let names = Self.closure(of: targets.filter { $0.name == "HTTPServerTests" }, in: targets).map(\.name)
        #expect(Set(names).isSuperset(of: ["HTTPServerTests", "HTTPServer", "CMicroHTTPD", "HTTPClient", "CCurl"]))
    }

    /// Some targets and all that they depend on.
    private static func closure(of roots: [PackageTarget], in targets: [PackageTarget]) -> [PackageTarget] {
        let targetsByName = Dictionary(uniqueKeysWithValues: targets.map { ($0.name, $0) })
        var found: [String: PackageTarget] = [:]
        var open = roots
        while let target = open.popLast() {
            guard found.updateValue(target, forKey: target.name) == nil else { continue }
            open += target.dependencies.compactMap { targetsByName[$0] }
        }
        return found.values.sorted { $0.name < $1.name }
    }
}
