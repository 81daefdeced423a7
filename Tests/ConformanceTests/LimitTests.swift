import JSON
import Testing

@Suite("7 Limits") struct LimitTests {
    @Test("7 201 operations are refused as a whole and 200 are done")
    func operations() async throws {
        let user = try await ConformanceService.shared().user()
        let type = JSONValue.string(Unique.type())
        let operations = (0...200).map { index -> (String, JSONValue) in
            ("create", ["recordName": .string("r\(index)"), "recordType": type])
        }
        expect(try await user.modify(operations), 413, "QUOTA_EXCEEDED")
        #expect(try await user.lookUp("r0").first?.code == "NOT_FOUND")
        let done = try await user.modify(Array(operations.dropLast()))
        #expect(done.items("records").count == 200 && done.items("records").allSatisfy { $0.code == nil })
    }

    @Test("7 with the limits of the framework 400 operations are done, and 401 refused")
    func frameworkOperations() async throws {
        let user = try await ConformanceService.shared().user()
        let type = JSONValue.string(Unique.type())
        let operations = (0...400).map { index -> (String, JSONValue) in
            ("create", ["recordName": .string("r\(index)"), "recordType": type])
        }
        let refused = try await user.modify(operations, ["limits": "framework"])
        expect(refused, 413, "QUOTA_EXCEEDED")
        #expect(refused.json["limit"] == ["name": "frameworkOperationsMax", "value": 400, "of": "request"])
        let done = try await user.modify(Array(operations.dropLast()), ["limits": "framework"])
        #expect(done.items("records").count == 400 && done.items("records").allSatisfy { $0.code == nil })
        expect(try await user.modify([operations[0]], ["limits": "other"]), 400, "BAD_REQUEST")
        expect(try await user.modify(Array(operations.dropLast()), ["limits": "webServices"]), 413, "QUOTA_EXCEEDED")
    }

    @Test("7 201 names of a lookup are refused")
    func lookups() async throws {
        let user = try await ConformanceService.shared().user()
        let names = (0...200).map { JSONValue.object(["recordName": .string("r\($0)")]) }
        expect(try await user.post("records/lookup", ["records": .array(names)]), 413, "QUOTA_EXCEEDED")
    }

    @Test("7 a record over 1 MB is QUOTA_EXCEEDED and one below is saved")
    func recordSize() async throws {
        let user = try await ConformanceService.shared().user()
        let type = Unique.type()
        let text = String(repeating: "x", count: 1 << 20)
        #expect(try await user.save("r", type, ["f": .string(text)]).code == "QUOTA_EXCEEDED")
        #expect(try await user.lookUp("r").first?.code == "NOT_FOUND")
        #expect(try await user.save("r", type, ["f": .string(String(text.dropLast(1024)))]).code == nil)
    }

    @Test(
        "7 record names are ASCII of 1 to 255 characters that do not begin with _",
        arguments: ["", "_x", "ä", "a\u{0}", String(repeating: "x", count: 256)])
    func recordNames(name: String) async throws {
        let user = try await ConformanceService.shared().user()
        let reply = try await user.modify([("create", ["recordName": .string(name), "recordType": "T"])])
        #expect((reply.code ?? reply.items("records").first?.code) == "BAD_REQUEST", "\(reply)")
    }

    @Test("7 record names of 255 characters are saved")
    func longestName() async throws {
        let user = try await ConformanceService.shared().user()
        #expect(try await user.save(String(repeating: "x", count: 255), Unique.type()).code == nil)
    }

    @Test(
        "7 names of types and fields are a letter, then letters, digits and underscores",
        arguments: ["", "1a", "a-b", "_a", "ä", "a b"])
    func words(name: String) async throws {
        let user = try await ConformanceService.shared().user()
        let type = try await user.modify([("create", ["recordName": "r", "recordType": .string(name)])])
        #expect((type.code ?? type.items("records").first?.code) == "BAD_REQUEST", "\(type)")
        let field: JSONValue = [
            "recordName": "r", "recordType": .string(Unique.type()), "fields": .object([name: ["value": 1]]),
        ]
        let reply = try await user.modify([("create", field)])
        #expect((reply.code ?? reply.items("records").first?.code) == "BAD_REQUEST", "\(reply)")
    }

    @Test(
        "7 zone names begin with no _ and have at most 255 characters",
        arguments: ["_a", String(repeating: "x", count: 256)])
    func zoneNames(name: String) async throws {
        let user = try await ConformanceService.shared().user()
        let reply = try await user.post(
            "zones/modify",
            ["operations": [["operationType": "create", "zone": ["zoneID": ["zoneName": .string(name)]]]]])
        #expect((reply.code ?? reply.items("zones").first?.code) == "BAD_REQUEST", "\(reply)")
    }

    @Test(
        "3.1, 7 resultsLimit 0 lets the server decide, and more than 200 is 200", arguments: [0, 201, .max] as [Int64])
    func resultsLimits(limit: Int64) async throws {
        let user = try await ConformanceService.shared().user()
        let type = Unique.type()
        for name in ["a", "b"] { try await user.save(name, type) }
        let query = try await user.post(
            "records/query", ["query": ["recordType": .string(type)], "resultsLimit": .integer(limit)])
        #expect(query.items("records").count == 2, "\(query)")
        #expect(try await user.post("changes/database", ["resultsLimit": .integer(limit)]).status == 200)
    }

    @Test("7 resultsLimit is not below 0")
    func negativeResultsLimit() async throws {
        let user = try await ConformanceService.shared().user()
        let query = try await user.post(
            "records/query", ["query": ["recordType": .string(Unique.type())], "resultsLimit": -1])
        expect(query, 400, "BAD_REQUEST")
        expect(try await user.post("changes/database", ["resultsLimit": -1]), 400, "BAD_REQUEST")
    }

    @Test("7 at most 3 fields of a record go into a notification")
    func additionalFields() async throws {
        let user = try await ConformanceService.shared().user()
        let reply = try await user.post(
            "subscriptions/modify",
            [
                "operations": [
                    [
                        "operationType": "create",
                        "subscription": [
                            "subscriptionType": "query", "query": ["recordType": .string(Unique.type())],
                            "firesOn": ["create"], "notificationInfo": ["additionalFields": ["a", "b", "c", "d"]],
                        ],
                    ]
                ]
            ])
        #expect((reply.code ?? reply.items("subscriptions").first?.code) == "BAD_REQUEST", "\(reply)")
    }

    @Test("5.5 one record twice in a request is BAD_REQUEST")
    func twice() async throws {
        let user = try await ConformanceService.shared().user()
        let operation: (String, JSONValue) = ("forceUpdate", ["recordName": "r", "recordType": .string(Unique.type())])
        expect(try await user.modify([operation, operation]), 400, "BAD_REQUEST")
    }
}
