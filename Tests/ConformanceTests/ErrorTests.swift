import JSON
import Testing

@Suite("5.13 Errors") struct ErrorTests {
    @Test("5.13 errors of items have a code, a reason and a uuid, inside a 200")
    func items() async throws {
        let user = try await ConformanceService.shared().user()
        let reply = try await user.post("records/lookup", ["records": [["recordName": "none"]]])
        let item = try #require(reply.items("records").first)
        #expect(reply.status == 200 && item.code == "NOT_FOUND" && item.recordName == "none")
        #expect(item["reason"]?.string?.isEmpty == false && item["uuid"]?.string?.utf8.count == 36)
        #expect(item["fields"] == nil && item["recordType"] == nil)
    }

    @Test(
        "5.13 a body that is no JSON object is BAD_REQUEST",
        arguments: ["", "{", "[]", "null", "5", "{\"a\":1,}", "{\"a\":1}x", "{\"a\":1,\"a\":2}", "\u{feff}{}"])
    func malformed(body: String) async throws {
        let user = try await ConformanceService.shared().user()
        let target = user.target(user.service.path("records/lookup", in: "private"))
        expect(try await user.service.send("POST", target, Array(body.utf8), headers: []), 400, "BAD_REQUEST")
    }

    @Test("5.13 the reason names the place of the error")
    func place() async throws {
        let user = try await ConformanceService.shared().user()
        let reply = try await user.modify([
            ("create", ["recordType": "T"]), ("create", ["recordType": "T", "fields": ["title": ["value": true]]]),
        ])
        expect(reply, 400, "BAD_REQUEST")
        #expect(reply.json["reason"]?.string?.contains("operations[1].record.fields.title") == true, "\(reply)")
    }

    @Test("5.13 an operation that is none is BAD_REQUEST")
    func unknownOperation() async throws {
        let user = try await ConformanceService.shared().user()
        expect(try await user.modify([("upsert", ["recordType": "T"])]), 400, "BAD_REQUEST")
    }
}
