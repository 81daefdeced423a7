import Foundation
import HTTPClient
import JSON
import TestSupport
import Testing

/// The version of a running build, by the file VERSION.
@Suite struct VersionStory {
    @Test("--version, answers, metrics and logs have the version of the file VERSION")
    func everywhere() async throws {
        let root = URL(fileURLWithPath: #filePath)
            .deletingLastPathComponent().deletingLastPathComponent().deletingLastPathComponent()
        let version = try String(contentsOf: root.appendingPathComponent("VERSION"), encoding: .utf8)
            .trimmingCharacters(in: .newlines)
        let system = try await StorySystem.start(.embedded)
        let asked = FanfareProcess(["--version"], folder: system.folder, name: "version")
        #expect(try await within { try await asked.run() }.output == "fanfare \(version)\n")

        let started = try #require(
            system.processes["dev"]?.complaints.split(separator: "\n").lazy
                .compactMap { try? JSONValue(parsing: Array($0.utf8)) }.first { $0["state"]?.string == "starting" })
        #expect(started["version"]?.string == version)
        let port = try #require(started["internalPort"]?.integer)
        let metrics = try await system.http.send(HTTPClientRequest("GET", "http://127.0.0.1:\(port)/metrics"))
        let line = "fanfare_build_info{version=\"\(version)\"} 1"
        #expect(String(decoding: metrics.body, as: UTF8.self).split(separator: "\n").contains(Substring(line)))
        for path in ["/openapi.yaml", "/nothing"] {
            let answer = try await system.http.send(HTTPClientRequest("GET", system.url + path))
            #expect(answer.headers["server"] == "fanfare/\(version)", "\(path)")
        }
        try await system.stop()
    }
}
