import CloudModel
import Foundation
import TestSupport
import Testing

/// The demonstration of `Examples`: it ends well on the real artworks, and would report a difference from the count.
@Suite struct DemoTests {
    private let folder = TemporaryFolder()

    @Test("the demonstration as a visitor starts it agrees with the count from the data")
    func playing() async throws {
        let repository = URL(fileURLWithPath: #filePath).deletingLastPathComponent().appendingPathComponent("../../..")
        let environment = ProcessInfo.processInfo.environment.merging([
            "FANFARE_EXECUTABLE": FanfareProcess.executable.path
        ]) { $1 }
        let (code, text) = try await run(repository.appendingPathComponent("scripts/demo").path, [], environment)
        #expect(code == 0 && text.contains("Everything agrees"), "\(text)")
    }

    @Test("a wrong count is named, and the program ends with differences", arguments: [false, true])
    func disagreeing(_ isWrong: Bool) async throws {
        let system = try await StorySystem.start(.embedded)
        let artworks = (0..<40).map { (name: "A\($0)", artist: $0 % 4 == 0 ? "1" : "2", year: 1950 + $0 % 20) }
        try write(
            artworks.map {
                #"{"accession":"\#($0.name)","title":"T","artist":"\#($0.artist)","year":\#($0.year)}"#
            }, "artworks.jsonl")
        try write([#"{"id":"1","name":"One"}"#, #"{"id":"2","name":"Two"}"#], "artists.jsonl")
        try write(
            [#"{"artist":"1","yearFirst":1950,"yearLast":1954,"known":10,"imported":10,"own":10}"#], "demo.json")
        var expected: [String] = []
        for (index, artwork) in artworks.enumerated().dropFirst(10) {
            let part = ["imported", "own", "rest"][index / 10 - 1]
            for device in part == "own" ? ["laptop"] : ["phone", "laptop"] {
                if artwork.artist == "1" { expected.append("\(device)\t\(part)\tartist\t\(artwork.name)") }
                if artwork.year < 1955 { expected.append("\(device)\t\(part)\tyears\t\(artwork.name)") }
            }
        }
        if isWrong {
            expected = expected.map { $0.replacing("phone\trest\tartist\tA32", with: "phone\trest\tartist\tA33") }
        }
        try write(expected, "expected.tsv")
        let environment = [
            "FANFARE_URL": system.url, "FANFARE_CONTAINER": system.scope.container.rawValue,
            "FANFARE_API_TOKEN": system.apiToken, "PATH": "/usr/bin:/bin", "HOME": folder.path("home"),
        ]
        let program = FanfareProcess.executable.deletingLastPathComponent().appendingPathComponent("demo").path
        let (code, output) = try await run(program, [folder.url.path, folder.path("expected.tsv")], environment)
        #expect(code == (isWrong ? 3 : 0), "\(output)")
        #expect(output.contains("missing: A33; too many: A32") == isWrong)
        try await system.stop()
    }

    private func write(_ lines: [String], _ name: String) throws {
        try Data((lines.joined(separator: "\n") + "\n").utf8).write(to: URL(fileURLWithPath: folder.path(name)))
    }

    /// Runs a program to its end.
    private func run(
        _ program: String, _ arguments: [String], _ environment: [String: String]
    ) async throws -> (code: Int32, output: String) {
        let path = folder.path("out")
        try Data().write(to: URL(fileURLWithPath: path))
        let output = try #require(FileHandle(forWritingAtPath: path))
        let process = ChildProcess(
            program, arguments, environment: environment, output: output, error: output)
        let code = try await within(program) {
            try await withCheckedThrowingContinuation { continuation in
                do {
                    try process.run { continuation.resume(returning: $0) }
                } catch {
                    continuation.resume(throwing: error)
                }
            }
        }
        return (code, try String(contentsOfFile: path, encoding: .utf8))
    }
}
