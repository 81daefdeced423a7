import CloudModel
import FanfareCloudKit
import Foundation
import HTTPClient
import JSON
import TestSupport
import Testing

/// O5: an operator sees where notifications wait, in whichever process the stages run, and audits them beside it.
@Suite struct OperatingStory {
    /// Asks as an operator, with the token of a file.
    private struct Operating: Sendable {
        let system: StorySystem
        let token: String

        func ask(_ name: String, _ body: JSONValue = [:]) async throws -> JSONValue {
            let request = HTTPClientRequest(
                "POST", "\(system.url)/operator/1/\(system.scope.container)/\(system.scope.environment)/\(name)",
                headers: [("Authorization", "Bearer \(token)"), ("X-Fanfare-Console", "1")],
                body: .bytes(try body.serialized()))
            let response = try await system.http.send(request)
            #expect(response.status == 200, "\(name): \(String(decoding: response.body, as: UTF8.self))")
            return try JSONValue(parsing: response.body)
        }

        /// The entries that wait, by stage.
        func waiting() async throws -> [String: Int64] {
            let stages = try await ask("stages")["stages"]?.array ?? []
            return stages.reduce(into: [:]) {
                $0[$1["stage"]?.string ?? "", default: 0] += $1["entriesBehind"]?.integer ?? 0
            }
        }
    }

    private let folder = TemporaryFolder()

    private func start(_ kind: StorySystem.Kind) async throws -> Operating {
        let file = folder.path("operator.token")
        let token = String(repeating: "0f", count: 32)
        try Data((token + "\n").utf8).write(to: URL(fileURLWithPath: file))
        let system = try await StorySystem.start(
            kind, with: ["FANFARE_CONSOLE": "public", "FANFARE_OPERATOR_TOKEN_FILE": file])
        return Operating(system: system, token: token)
    }

    /// The lines that a command prints as JSON.
    private func lines(_ command: [String], _ system: StorySystem) async throws -> [JSONValue] {
        let data = system.kind.isEmbedded ? ["--data", system.folder.path("data")] : []
        let ended = try await system.run(command + ["--json", "--container", system.scope.container.rawValue] + data)
        #expect(ended.code == 0, "\(ended)")
        return try ended.output.split(separator: "\n").map { try JSONValue(parsing: Array($0.utf8)) }
    }

    @Test(
        "O5 while no matcher runs the changes wait for stage 1, says the record-service; an audit runs beside it",
        arguments: StorySystem.Kind.available)
    func waiting(_ kind: StorySystem.Kind) async throws {
        let operating = try await start(kind)
        let system = operating.system
        let alice = try await system.user("alice")
        let phone = try await alice.register("phone")
        try await alice.subscribe("all", to: "Task")
        try await alice.save([(name: "first", fields: ["n": 1])], type: "Task")
        _ = try await alice.feed(phone, atLeast: 1)
        if let matcher = system.processes["subscription-matcher"] {
            _ = await matcher.terminate()
            for number in 0..<3 { try await alice.save([(name: "late\(number)", fields: ["n": 2])], type: "Task") }
            let late = try await answer("changes that wait") {
                let stages = try await operating.ask("stages")["stages"]?.array ?? []
                let waiting = stages.filter { $0["stage"] == "match" && $0["entriesBehind"]?.integer ?? 0 > 0 }
                let count = waiting.reduce(0) { $0 + ($1["entriesBehind"]?.integer ?? 0) }
                return count == 3 ? waiting : nil
            }
            for line in late {
                #expect(line["process"] == "elsewhere" && line["waits"]?["stage1"] != nil, "\(line)")
            }
            let printed = try await lines(["stages"], system)
            for line in late {
                let same = printed.first { $0["topic"] == line["topic"] && $0["partition"] == line["partition"] }
                #expect(same?["next"] == line["next"] && same?["end"] == line["end"], "\(printed)")
            }
            try matcher.start()
            _ = try await alice.feed(phone, atLeast: 4)
        }
        try await eventually("nothing waits") {
            let waiting = try await operating.waiting()
            return waiting["match"] == 0 && waiting["deliver"] == 0
        }
        let id = try #require(try await operating.ask("audits/start")["auditID"])
        let audit = try await answer("the end of the audit") {
            let found = try await operating.ask("audits/lookup", ["auditID": id])
            // A literal nil would be JSON's null.
            return found["audit"]?["state"] == "running" ? Optional.none : found
        }
        #expect(audit["audit"]?["state"] == "done" && audit["findings"] == [], "\(audit)")
        #expect(audit["audit"]?["result"]?["expected"] == (kind.isEmbedded ? 1 : 4), "\(audit)")
        try await system.stop()
    }
}
