import JSON
import TestSupport
import Testing

/// `valueBytesMax` in JSON.
@Suite struct CutValueTests {
    private static let text = String(repeating: "x", count: 5000)

    private func save(_ bench: WebBench, _ user: WebBench.SignedIn, zone: String = "_defaultZone") async throws {
        let fields: JSONValue = [
            "text": ["value": .string(Self.text), "type": "STRING"], "n": ["value": 1, "type": "INT64"],
            "list": ["value": .array(Array(repeating: "ab", count: 100)), "type": "STRING_LIST"],
            "bytes": ["value": "AAECAwQFBgcICQ==", "type": "BYTES"],
        ]
        let saved = try await modify(bench, user, fields, zone: zone)
        #expect(saved["serverErrorCode"] == nil, "\(saved)")
    }

    private func modify(
        _ bench: WebBench, _ user: WebBench.SignedIn, _ fields: JSONValue, zone: String = "_defaultZone"
    ) async throws -> JSONValue {
        let operation: JSONValue = [
            "operationType": "forceUpdate", "record": ["recordName": "r", "recordType": "T", "fields": fields],
        ]
        let answer = try await bench.send(
            "POST", bench.database("records/modify", "private"),
            ["operations": [operation], "zoneID": ["zoneName": .string(zone)]], user: user)
        return try #require(answer.json["records"]?[0], "\(answer.json)")
    }

    private func expectCut(_ record: JSONValue?) {
        let fields = record?["fields"]
        #expect(fields?["text"] == ["value": "xxxxxxxx", "type": "STRING", "cut": ["bytes": 5000]])
        #expect(
            fields?["list"] == [
                "value": ["ab", "ab"], "type": "STRING_LIST", "cut": ["bytes": 400, "elements": 100],
            ])
        #expect(fields?["bytes"] == ["value": "AAECAwQFBgc=", "type": "BYTES", "cut": ["bytes": 10]])
        #expect(fields?["n"] == ["value": 1, "type": "INT64"])
    }

    @Test("lookups, queries and change feeds answer cut values with their marks")
    func cut() async throws {
        try await WebBench.run { bench in
            let user = try await bench.signIn("alice")
            let zone: JSONValue = ["zoneName": "z"]
            let made = try await bench.send(
                "POST", bench.database("zones/modify", "private"),
                ["operations": [["operationType": "create", "zone": ["zoneID": zone]]]], user: user)
            #expect(made.status == 200, "\(made.json)")
            try await save(bench, user, zone: "z")
            let requests: [(String, JSONObject, (JSONValue) -> JSONValue?)] = [
                ("records/lookup", ["records": [["recordName": "r"]], "zoneID": zone], { $0["records"]?[0] }),
                ("records/query", ["query": ["recordType": "T"], "zoneID": zone], { $0["records"]?[0] }),
                ("changes/zone", ["zones": [["zoneID": zone]]], { $0["zones"]?[0]?["records"]?[0] }),
                ("records/changes", ["zoneID": zone], { $0["records"]?[0] }),
            ]
            for (path, body, record) in requests {
                var body = body
                for bytes in [0, 1_048_577, "eight", -5] as [JSONValue] {
                    body["valueBytesMax"] = bytes
                    let refused = try await bench.send(
                        "POST", bench.database(path, "private"), .object(body), user: user)
                    #expect(refused.text.contains("valueBytesMax"), "\(path) \(bytes): \(refused.text)")
                    #expect(refused.text.contains("BAD_REQUEST"), "\(path) \(bytes): \(refused.text)")
                }
                body["valueBytesMax"] = 8
                let answer = try await bench.send(
                    "POST", bench.database(path, "private"), .object(body), user: user)
                expectCut(record(answer.json))
            }
            // A zone's own number goes before the default.
            let answer = try await bench.send(
                "POST", bench.database("changes/zone", "private"),
                ["zones": [["zoneID": zone, "valueBytesMax": 8]], "valueBytesMax": 500_000], user: user)
            expectCut(answer.json["zones"]?[0]?["records"]?[0])
        }
    }

    @Test("a field that is sent back as it was answered is refused when it is cut, and saved when it is whole")
    func sentBack() async throws {
        try await WebBench.run { bench in
            let user = try await bench.signIn("alice")
            try await save(bench, user)
            for bytes in [8, 200, 4999, 5000] as [JSONValue] {
                let answer = try await bench.send(
                    "POST", bench.database("records/lookup", "private"),
                    ["records": [["recordName": "r"]], "valueBytesMax": bytes], user: user)
                for (name, field) in try #require(answer.json["records"]?[0]?["fields"]?.object) {
                    let saved = try await modify(bench, user, [name: field])
                    if field["cut"] == nil {
                        #expect(saved["serverErrorCode"] == nil, "\(saved)")
                    } else {
                        #expect(saved["serverErrorCode"] == "BAD_REQUEST", "\(saved)")
                        #expect(saved["reason"]?.string?.contains(name) == true, "\(saved)")
                    }
                }
            }
            let whole = try await bench.send(
                "POST", bench.database("records/lookup", "private"), ["records": [["recordName": "r"]]], user: user)
            #expect(whole.json["records"]?[0]?["fields"]?["text"]?["value"]?.string == Self.text)
            #expect(whole.json["records"]?[0]?["fields"]?["list"]?["value"]?.array?.count == 100)
        }
    }
}
