import Foundation

/// A text file of the repository.
struct TextFile: Sendable {
    /// Relative to the root.
    var path: String
    var text: String
    var lines: [String]

    init(path: String, text: String) {
        self.path = path
        self.text = text
        lines = text.split(separator: "\n", omittingEmptySubsequences: false).map(String.init)
    }

    /// The lines with their numbers, counted from 1.
    var numbered: some Sequence<(number: Int, line: String)> {
        lines.enumerated().lazy.map { (number: $0 + 1, line: $1) }
    }

    /// Whether a generator wrote the file.
    var isGenerated: Bool { path.contains("/Generated/") }
}

/// The files of this checkout, read once.
enum Repository {
    static let root = URL(fileURLWithPath: #filePath)
        .deletingLastPathComponent().deletingLastPathComponent().deletingLastPathComponent().standardizedFileURL

    /// Every text file that is no symbolic link and was not built.
    static let files: [TextFile] = paths.compactMap { path in
        guard let text = try? String(contentsOf: root.appendingPathComponent(path), encoding: .utf8) else { return nil }
        return TextFile(path: path, text: text)
    }

    static let sources = files.filter { $0.path.hasPrefix("Sources/") && $0.path.hasSuffix(".swift") }
    static let tests = files.filter { $0.path.hasPrefix("Tests/") && $0.path.hasSuffix(".swift") }
    static let examples = files.filter { $0.path.hasPrefix("Examples/") && $0.path.hasSuffix(".swift") }
    static let benchmarks = files.filter { $0.path.hasPrefix("Benchmarks/") && $0.path.hasSuffix(".swift") }

    /// Throws if the file is missing.
    static func file(_ path: String) throws -> TextFile {
        guard let file = files.first(where: { $0.path == path }) else { throw Missing(path: path) }
        return file
    }

    static func exists(_ path: String) -> Bool {
        FileManager.default.fileExists(atPath: root.appendingPathComponent(path).path)
    }

    struct Missing: Error, CustomStringConvertible {
        var path: String
        var description: String { "\(path) is missing: write it, this test compares it with the code" }
    }

    /// Folders of tools, which Git does not keep either.
    private static let foreign: Set = [".build", ".git", "scratch", "__pycache__"]

    private static let paths: [String] = {
        var found: [String] = []
        var folders = [""]
        while let folder = folders.popLast() {
            let names = (try? FileManager.default.contentsOfDirectory(atPath: root.path + "/" + folder)) ?? []
            for name in names where !foreign.contains(name) {
                let path = folder.isEmpty ? name : "\(folder)/\(name)"
                let attributes = try? FileManager.default.attributesOfItem(atPath: root.path + "/" + path)
                switch attributes?[.type] as? FileAttributeType {
                case .typeDirectory: folders.append(path)
                case .typeRegular: found.append(path)
                default: break
                }
            }
        }
        return found.sorted()
    }()
}
