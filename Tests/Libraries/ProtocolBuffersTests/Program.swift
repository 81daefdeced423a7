import Foundation
import TestSupport

/// A program run to its end.
enum Program {
    struct Result {
        let status: Int32
        let output: Data
        let errors: String
    }

    /// Input and output go by files, so that no pipe can fill while nobody reads it.
    static func run(_ arguments: [String], input: Data = Data()) throws -> Result {
        let folder = try temporaryFolder()
        defer { try? FileManager.default.removeItem(at: folder) }
        let files = ["input", "output", "errors"].map { folder.appendingPathComponent($0) }
        for file in files { try (file == files[0] ? input : Data()).write(to: file) }
        let process = ChildProcess(
            "/usr/bin/env", arguments, input: try FileHandle(forReadingFrom: files[0]),
            output: try FileHandle(forWritingTo: files[1]), error: try FileHandle(forWritingTo: files[2]))
        return Result(
            status: try process.runToEnd(), output: try Data(contentsOf: files[1]),
            errors: String(decoding: try Data(contentsOf: files[2]), as: UTF8.self))
    }

    static func temporaryFolder() throws -> URL {
        let folder = FileManager.default.temporaryDirectory.appendingPathComponent("messages-\(UUID().uuidString)")
        try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
        return folder
    }
}
