import JSON
import RecordStore
import TestSupport
import Testing

@testable import Console

/// The routes of audits.
@Suite struct OperatorAuditTests {
    @Test("an audit is started, looked up and listed, and the act is on record")
    func run() async throws {
        try await ConsoleBench.run { bench in
            let started = try await bench.ask("audits/start", ["from": "2026-03-01T12:00:00Z"])
            let id = try #require(started.json["auditID"])
            #expect(try await bench.actions().first?.act == "audits/start")
            let end = try await answer("the end of the audit") {
                let found = try await bench.ask("audits/lookup", ["auditID": id])
                // A literal nil would be JSON's null.
                return found.json["audit"]?["state"] == "running" ? Optional.none : found.json
            }
            #expect(end["audit"]?["state"] == "done" && end["audit"]?["result"]?["differences"] == 3)
            #expect(end["findings"]?.array?.map { $0["change"] } == [0, 1, 2])
            let list = try await bench.ask("audits/list").json["audits"]
            #expect(list?.array?.map { $0["auditID"] } == [id] && list?[0]?["operator"] == "anna@example.com")
        }
    }

    @Test("no other audit starts while one runs, until it is stopped")
    func stop() async throws {
        try await ConsoleBench.run { bench in
            let id = try #require(try await bench.ask("audits/start", ["devices": ["phone"]]).json["auditID"])
            #expect(try await bench.ask("audits/start").code == "CONFLICT")
            #expect(try await bench.actions().first?.outcome == "CONFLICT")
            let running = try await bench.ask("audits/list").json["audits"]?[0]
            #expect(running?["state"] == "running" && running?["devices"] == ["phone"])
            #expect(try await bench.ask("audits/stop", ["auditID": id]).json["audit"]?["state"] == "stopped")
            #expect(try await bench.ask("audits/start").status == 200)
        }
    }

    @Test("an extent that is none is refused, and nothing starts")
    func hostile() async throws {
        try await ConsoleBench.run { bench in
            let many = JSONValue.array((0...1000).map { .string("d\($0)") })
            let bodies: [JSONValue] = [
                ["from": "yesterday"], ["to": 5], ["from": "2026-03-02T00:00:00Z", "to": "2026-03-01T00:00:00Z"],
                ["devices": "phone"], ["devices": [""]], ["devices": [1]], ["devices": many],
            ]
            for body in bodies {
                let answer = try await bench.ask("audits/start", body)
                #expect(answer.code == "BAD_REQUEST", "\(body)")
            }
            for name in ["audits/lookup", "audits/stop"] {
                #expect(try await bench.ask(name).code == "BAD_REQUEST")
                #expect(try await bench.ask(name, ["auditID": "../../etc"]).code == "NOT_FOUND")
            }
            #expect(try await bench.ask("audits/list").json["audits"] == [])
        }
    }
}
