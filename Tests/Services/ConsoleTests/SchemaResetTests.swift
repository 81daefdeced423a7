import CloudMessages
import CloudModel
import JSON
import MemoryLog
import RecordService
import RecordStore
import TestSupport
import Testing

@testable import Console

/// The reset of development's schema.
@Suite struct SchemaResetTests {
    private static func types(_ bench: ConsoleBench) async throws -> [String: Int] {
        let types = try await bench.ask("schema").json["recordTypes"]?.array ?? []
        return Dictionary(
            uniqueKeysWithValues: types.map { ($0["recordType"]?.string ?? "", $0["fields"]?.array?.count ?? -1) })
    }

    /// Sends requests as alice, all of which have to succeed.
    private static func ask(_ bench: ConsoleBench, _ requests: [(String, JSONValue)]) async throws {
        let (query, scope) = ("?ckAPIToken=\(bench.apiToken)", bench.scopePath)
        let signIn = try await bench.send("POST", "/auth/1/\(scope)/signin\(query)", ["user": "alice"])
        let user = [("Authorization", "Bearer \(try #require(signIn.json["ckWebAuthToken"]?.string))")]
        for (path, body) in requests {
            let answer = try await bench.send("POST", "/database/1/\(scope)/\(path)\(query)", body, headers: user)
            #expect(answer.status == 200 && !answer.text.contains("serverErrorCode"), "\(path): \(answer.text)")
        }
    }

    private static func record(_ kind: String, _ type: String, _ name: String, in zone: String? = nil) -> JSONValue {
        var record: JSONObject = ["recordName": .string(name), "recordType": .string(type)]
        if kind == "create" { record["fields"] = ["title": ["value": "t"]] }
        let operation: JSONValue = ["operationType": .string(kind), "record": .object(record)]
        var body: JSONObject = ["operations": [operation]]
        if let zone { body["zoneID"] = ["zoneName": .string(zone)] }
        return .object(body)
    }

    @Test("types without records go, those with records stay, and records are as before")
    func reset() async throws {
        try await ConsoleBench.run { bench in
            let zone: JSONValue = ["operationType": "create", "zone": ["zoneID": ["zoneName": "z"]]]
            try await Self.ask(
                bench,
                [
                    ("private/zones/modify", ["operations": [zone]]),
                    ("public/records/modify", Self.record("create", "Artwork", "a")),
                    ("public/records/modify", Self.record("create", "Sketch", "s")),
                    ("public/records/modify", Self.record("forceDelete", "Sketch", "s")),
                    ("private/records/modify", Self.record("create", "Note", "n", in: "z")),
                    ("private/records/modify", Self.record("forceDelete", "Note", "n", in: "z")),
                ])
            let before = try await Self.types(bench)
            #expect(before["Artwork"] == 1 && before["Sketch"] == 1 && before["Note"] == 1)
            let container = JSONValue.string(bench.system.layout.scope.container.rawValue)
            for body in [[:], ["confirm": ""], ["confirm": "iCloud.other"], ["confirm": 1]] as [JSONValue] {
                #expect(try await bench.ask("schema/reset", body).code == "BAD_REQUEST")
                #expect(try await bench.actions().first?.outcome == "BAD_REQUEST")
            }
            #expect(try await Self.types(bench) == before)
            let answer = try await bench.ask("schema/reset", ["confirm": container])
            #expect(answer.json["removed"]?.array?.contains("Sketch") == true, "\(answer.text)")
            #expect(answer.json["emptied"] == ["Note"] && answer.json["kept"]?.array?.contains("Artwork") == true)
            #expect(try await bench.actions().first?.outcome == "done")
            let after = try await Self.types(bench)
            #expect(after["Artwork"] == 1 && after["Sketch"] == nil && after["Note"] == 0)
            // Types that went come back with other fields, and a zone's deletions are still in its feed.
            try await Self.ask(
                bench,
                [
                    ("public/records/modify", Self.record("create", "Sketch", "s2")),
                    ("private/records/modify", Self.record("create", "Note", "n2", in: "z")),
                    ("private/changes/zone", ["zones": [["zoneID": ["zoneName": "z"]]]]),
                    ("public/records/lookup", ["records": [["recordName": "a"]]]),
                ])
            let again = try await bench.ask("schema/reset", ["confirm": container])
            #expect(again.json["removed"] == [] && again.json["emptied"] == [])
        }
    }

    @Test("production's schema is there afterwards; where a type that stays contradicts it, nothing is changed")
    func production() async throws {
        try await ConsoleBench.run { bench in
            let service = bench.system.service
            let text = "DEFINE SCHEMA\n RECORD TYPE Artwork (title STRING QUERYABLE, year INT64);"
            let wanted = try SchemaText.read(text, over: Schema())
            try await Self.ask(bench, [("public/records/modify", Self.record("create", "Sketch", "s"))])
            let rehearsed = try await service.resetSchema(to: wanted, isApplied: false)
            #expect(rehearsed.difference.changes.count == 3)
            #expect(try await Self.types(bench)["Artwork"] == nil, "a rehearsal changes nothing")
            let reset = try await service.resetSchema(to: wanted)
            #expect(reset.types == rehearsed.types && reset.types.kept.contains(RecordType(trusted: "Sketch")))
            #expect(try await Self.types(bench)["Artwork"] == 2)
            let other = try SchemaText.read("DEFINE SCHEMA\n RECORD TYPE Sketch (title INT64);", over: Schema())
            let before = try await service.schema()
            await expect(code: .badRequest) { try await service.resetSchema(to: other) }
            #expect(try await service.schema() == before)
        }
    }

    @Test("production's schema is never reset")
    func productionItself() async throws {
        try await within {
            let system = try await TestSystem(log: MemoryLog(), environment: .production, partitions: 1)
            await expect(code: .badRequest) { try await system.service.resetSchema(to: Schema()) }
            await system.stop()
        }
    }
}
