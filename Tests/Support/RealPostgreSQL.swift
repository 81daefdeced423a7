import Foundation
import Synchronization

/// A real PostgreSQL for the suites that need one: the server of `POSTGRES_URL`, or one that `scripts/with-postgres`
/// starts for this run. Without an installed server those suites are disabled, and say so, unless `FANFARE_POSTGRES` is
/// set, which demands them. One for all suites of the process: schemas keep them apart.
package final class RealPostgreSQL: Sendable {
    /// True if the suites run; where they do not, the reason is printed once.
    package static let isAvailable: Bool = {
        let environment = ProcessInfo.processInfo.environment
        let demands = ["POSTGRES_URL", "POSTGRES_BIN", "FANFARE_POSTGRES"]
        if demands.contains(where: { environment[$0] != nil }) || isInstalled(environment["PATH"] ?? "") { return true }
        print("Suites on a real PostgreSQL are disabled: install it (apt install postgresql), or set POSTGRES_URL.")
        return false
    }()

    /// The URL, with its password; the first call starts the server, and throws the reason if it does not start.
    package static func url() throws -> String { try started.get().url }

    /// The PEM file of the authority that signed the server's certificate for 127.0.0.1 and `localhost`; nil for a
    /// server of `POSTGRES_URL`.
    package static func authority() throws -> String? { try started.get().authority }

    private static let started = Result { try RealPostgreSQL() }

    private let url: String
    private let authority: String?
    /// Held open: the script ends the server when this pipe closes, which also happens when this process is killed.
    private let input: FileHandle?

    private init() throws {
        if let url = ProcessInfo.processInfo.environment["POSTGRES_URL"] {
            self.url = url
            authority = nil
            input = nil
            return
        }
        let script = URL(fileURLWithPath: #filePath).deletingLastPathComponent()
            .appendingPathComponent("../../scripts/with-postgres").standardizedFileURL.path
        let certificate = TestCertificate.shared
        let (input, output) = (Pipe(), Pipe())
        let words = [
            "--tls", certificate.file, certificate.key, "sh", "-c", "echo \"$POSTGRES_URL\"; exec cat >/dev/null",
        ]
        let process = ChildProcess(
            script, words, input: input.fileHandleForReading, output: output.fileHandleForWriting)
        try process.run()
        // Only the script has these ends.
        try input.fileHandleForReading.close()
        try output.fileHandleForWriting.close()
        var line = Data()
        while !line.contains(10) {
            let bytes = output.fileHandleForReading.availableData
            guard !bytes.isEmpty else { throw StorySystem.Failed("PostgreSQL did not start: see the lines above") }
            line += bytes
        }
        url = String(decoding: line.prefix { $0 != 10 }, as: UTF8.self)
        authority = certificate.file
        self.input = input.fileHandleForWriting
    }

    deinit { try? input?.close() }

    private static func isInstalled(_ path: String) -> Bool {
        let debian = (try? FileManager.default.contentsOfDirectory(atPath: "/usr/lib/postgresql")) ?? []
        let folders = debian.map { "/usr/lib/postgresql/\($0)/bin" } + path.split(separator: ":").map(String.init)
        return folders.contains { FileManager.default.isExecutableFile(atPath: "\($0)/initdb") }
    }
}
