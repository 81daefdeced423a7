import JSON
import Testing

@Suite("5.6 Lookup") struct LookupTests {
    @Test("5.6 records come in the order of their names, NOT_FOUND among them")
    func order() async throws {
        let user = try await ConformanceService.shared().user()
        let type = Unique.type()
        try await user.save("a", type)
        try await user.save("b", type)
        let items = try await user.lookUp("b", "none", "a")
        #expect(items.map(\.recordName) == ["b", "none", "a"])
        #expect(items.map(\.code) == [nil, "NOT_FOUND", nil])
        #expect(items[1]["reason"]?.string?.isEmpty == false)
    }

    @Test("5.6 a lookup sees earlier saves")
    func readAfterWrite() async throws {
        let user = try await ConformanceService.shared().user()
        let type = Unique.type()
        for value in 1...10 {
            let saved = try await user.save("r", type, ["n": .integer(Int64(value))])
            #expect(try await user.lookUp("r") == [saved])
        }
    }

    @Test("5.6 desiredKeys of an item and of the request choose fields")
    func desiredKeys() async throws {
        let user = try await ConformanceService.shared().user()
        let type = Unique.type()
        for name in ["a", "b"] { try await user.save(name, type, ["x": 1, "y": 2]) }
        let reply = try await user.post(
            "records/lookup",
            [
                "records": [["recordName": "a"], ["recordName": "b", "desiredKeys": ["y"]]], "desiredKeys": ["x"],
            ])
        let keys = reply.items("records").map { $0["fields"]?.object?.map(\.key) }
        #expect(keys == [["x"], ["y"]], "\(reply)")
    }

    @Test("5.6 valueBytesMax answers the beginning of a long text, and the size of the whole")
    func valueBytesMax() async throws {
        let user = try await ConformanceService.shared().user()
        try await user.save("r", Unique.type(), ["long": .string(String(repeating: "ä", count: 3000)), "short": "x"])
        let reply = try await user.post(
            "records/lookup", ["records": [["recordName": "r"]], "valueBytesMax": 9])
        let fields = try #require(reply.items("records").first?["fields"])
        #expect(fields["long"] == ["value": "ääää", "type": "STRING", "cut": ["bytes": 6000]], "\(reply)")
        #expect(fields["short"] == ["value": "x", "type": "STRING"], "\(reply)")
    }

    @Test("5.6 private records are their owner's alone")
    func owners() async throws {
        let service = try await ConformanceService.shared()
        let (owner, other) = (try await service.user(), try await service.user())
        try await owner.save("r", Unique.type())
        #expect(try await other.lookUp("r").first?.code == "NOT_FOUND")
    }

    @Test("5.6 numbersAsStrings writes numbers as strings")
    func numbersAsStrings() async throws {
        let user = try await ConformanceService.shared().user()
        try await user.save("r", Unique.type(), ["n": 5])
        let reply = try await user.post(
            "records/lookup", ["records": [["recordName": "r"]], "numbersAsStrings": true])
        #expect(reply.items("records").first?.field("n") == "5")
    }
}
