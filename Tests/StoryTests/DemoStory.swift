import CloudModel
import Foundation
import JSON
import TestSupport
import Testing

/// The demonstration: it ends well on the real artworks, and it would tell if a notification were not as counted.
@Suite struct DemoStory {
    @Test("the demonstration as a visitor starts it agrees with the count from the data")
    func playing() async throws {
        let repository = URL(fileURLWithPath: #filePath).deletingLastPathComponent().appendingPathComponent("../..")
        let folder = TemporaryFolder()
        try Data().write(to: URL(fileURLWithPath: folder.path("out")))
        let output = try #require(FileHandle(forWritingAtPath: folder.path("out")))
        let environment = ProcessInfo.processInfo.environment.merging([
            "FANFARE_EXECUTABLE": FanfareProcess.executable.path
        ]) { $1 }
        let process = ChildProcess(
            repository.appendingPathComponent("scripts/demo").path, environment: environment, output: output,
            error: output)
        let code = try await within(.seconds(120), "scripts/demo") {
            try await withCheckedThrowingContinuation { continuation in
                do {
                    try process.run { continuation.resume(returning: $0) }
                } catch {
                    continuation.resume(throwing: error)
                }
            }
        }
        let text = try String(contentsOfFile: folder.path("out"), encoding: .utf8)
        #expect(code == 0 && text.contains("Everything agrees"), "\(text)")
    }

    @Test("a count that is not what came is named, and the command ends with differences", arguments: [false, true])
    func disagreeing(_ isWrong: Bool) async throws {
        let system = try await StorySystem.start(.embedded)
        let folder = system.folder
        let artworks = (0..<40).map { (name: "A\($0)", artist: $0 % 4 == 0 ? "1" : "2", year: 1950 + $0 % 20) }
        let lines = artworks.map {
            #"{"accession":"\#($0.name)","title":"T","artist":"\#($0.artist)","year":\#($0.year)}"#
        }
        try write(lines, folder.path("artworks.jsonl.gz"))
        try write([#"{"id":"1","name":"One"}"#, #"{"id":"2","name":"Two"}"#], folder.path("artists.jsonl.gz"))
        try write(
            [#"{"artist":"1","yearFirst":1950,"yearLast":1954,"known":10,"imported":10,"own":10}"#],
            folder.path("demo.json"))
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
        try write(expected, folder.path("expected.tsv"))
        let (code, output) = try await system.command(
            [
                "demo", folder.url.path, "--url", system.url, "--api-token", system.apiToken, "--expected",
                folder.path("expected.tsv"),
            ], name: "demo"
        ).run()
        #expect(code == (isWrong ? 3 : 0), "\(output)")
        #expect(output.contains("missing: A33; too many: A32") == isWrong)
        try await system.stop()
    }

    private func write(_ lines: [String], _ path: String) throws {
        try Data((lines.joined(separator: "\n") + "\n").utf8).write(to: URL(fileURLWithPath: path))
    }
}
