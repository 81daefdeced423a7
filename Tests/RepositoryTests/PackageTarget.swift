import Foundation
import JSON
import TestSupport

/// A target as SwiftPM sees it.
struct PackageTarget: Sendable {
    enum Kind: String { case swift = "SwiftTarget", c = "ClangTarget", room = "SystemLibraryTarget" }

    var name: String
    var kind: Kind
    var isTest: Bool
    /// Relative to the root.
    var folder: String
    /// Relative to the root; symbolic links are among them.
    var sources: [String]
    var dependencies: Set<String>

    /// Storeys are the folders of `Sources`; everything else stands outside them.
    var storey: String? {
        let parts = folder.split(separator: "/")
        return parts.first == "Sources" ? String(parts[1]) : nil
    }

    /// All targets of the manifest, those of the fuzzers too.
    static let all: Result<[PackageTarget], any Error> = Result { try described() }

    private static func described() throws -> [PackageTarget] {
        // In a folder of its own: `swift test` holds the lock of `.build` for as long as this runs.
        let scratch = TemporaryFolder()
        let file = URL(fileURLWithPath: scratch.path("targets.json"))
        try Data().write(to: file)
        let process = ChildProcess(
            "/usr/bin/env",
            [
                "swift", "package", "--package-path", Repository.root.path, "--scratch-path", scratch.path("build"),
                "describe", "--type", "json",
            ], environment: ProcessInfo.processInfo.environment.merging(["FANFARE_FUZZ": "1"]) { $1 },
            output: try FileHandle(forWritingTo: file), error: .nullDevice)
        try process.runToEnd()
        let bytes = try Data(contentsOf: file)
        let json = try JSONValue(parsing: Array(bytes))
        return (json["targets"]?.array ?? []).compactMap(PackageTarget.init)
    }

    private init?(_ json: JSONValue) {
        guard let name = json["name"]?.string, let folder = json["path"]?.string,
            let kind = json["module_type"]?.string.flatMap(Kind.init)
        else { return nil }
        self.name = name
        self.kind = kind
        self.folder = folder
        isTest = json["type"]?.string == "test"
        sources = (json["sources"]?.array ?? []).compactMap(\.string).map { "\(folder)/\($0)" }
        dependencies = Set((json["target_dependencies"]?.array ?? []).compactMap(\.string))
    }
}
