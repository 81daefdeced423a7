import JSON
import Testing

@Suite("5.7 Change feeds") struct ChangeFeedTests {
    /// Reads a zone's feed to its end: the items, and the last token.
    private func feed(
        _ user: Visitor, _ zone: String, since token: JSONValue? = nil, limit: Int64 = 200
    ) async throws -> (items: [JSONValue], token: JSONValue) {
        var (items, token) = ([JSONValue](), token)
        for _ in 0..<100 {
            var request: JSONObject = ["zoneID": ["zoneName": .string(zone)], "resultsLimit": .integer(limit)]
            request["syncToken"] = token
            let reply = try await user.post("changes/zone", ["zones": [.object(request)]])
            let page = try #require(reply.items("zones").first, "\(reply)")
            try #require(page.code == nil, "\(reply)")
            #expect(page["zoneID"]?["zoneName"]?.string == zone)
            items += page["records"]?.array ?? []
            token = page["syncToken"]
            if page["moreComing"] == false { break }
        }
        return (items, try #require(token))
    }

    @Test("5.7 changes/zone gives each record once, in its present state, deleted ones as tombstones")
    func zoneFeed() async throws {
        let user = try await ConformanceService.shared().user()
        let (zone, type) = (try await user.zone(), Unique.type())
        for value in 1...3 { try await user.save("a", type, ["n": .integer(Int64(value))], zone: zone) }
        try await user.save("b", type, zone: zone)
        let first = try await feed(user, zone)
        #expect(Set(first.items.map(\.recordName)) == ["a", "b"] && first.items.count == 2)
        #expect(first.items.first { $0.recordName == "a" }?.field("n") == 3)
        #expect(try await feed(user, zone, since: first.token).items == [])
        _ = try await user.modify("forceDelete", ["recordName": "b"], zone: zone)
        try await user.save("c", type, zone: zone)
        let second = try await feed(user, zone, since: first.token)
        #expect(second.items.map { $0["deleted"] == true } == [true, false])
        #expect(second.items.map(\.recordName) == ["b", "c"])
    }

    @Test("5.7 a feed goes on while moreComing is true")
    func pages() async throws {
        let user = try await ConformanceService.shared().user()
        let (zone, type) = (try await user.zone(), Unique.type())
        for index in 0..<7 { try await user.save("r\(index)", type, zone: zone) }
        #expect(try await feed(user, zone, limit: 2).items.map(\.recordName) == (0..<7).map { "r\($0)" })
    }

    @Test("5.7 changes/zone fails one zone and answers the others")
    func perZone() async throws {
        let user = try await ConformanceService.shared().user()
        let zone = try await user.zone()
        let reply = try await user.post(
            "changes/zone",
            ["zones": [["zoneID": ["zoneName": "none"]], ["zoneID": ["zoneName": .string(zone)]]]])
        #expect(reply.items("zones").map(\.code) == ["ZONE_NOT_FOUND", nil], "\(reply)")
        #expect(reply.items("zones").first?["zoneID"]?["zoneName"] == "none")
    }

    @Test("5.7 members beside zones are the defaults of all of them")
    func defaults() async throws {
        let user = try await ConformanceService.shared().user()
        let (zone, type, other) = (try await user.zone(), Unique.type(), Unique.type())
        try await user.save("a", type, ["x": 1, "y": 2], zone: zone)
        try await user.save("b", other, ["x": 1], zone: zone)
        let reply = try await user.post(
            "changes/zone",
            [
                "zones": [["zoneID": ["zoneName": .string(zone)]]], "desiredKeys": ["y"],
                "desiredRecordTypes": [.string(type)], "numbersAsStrings": true,
            ])
        let records = reply.items("zones").first?["records"]?.array ?? []
        #expect(records.map(\.recordName) == ["a"] && records.first?.field("y") == "2", "\(reply)")
        #expect(records.first?.field("x") == nil)
    }

    @Test("5.7 changes/database names the zones that changed, were made or deleted")
    func databaseFeed() async throws {
        let user = try await ConformanceService.shared().user()
        let (one, two) = (try await user.zone(), try await user.zone())
        func changes(_ token: JSONValue?) async throws -> (zones: [JSONValue], token: JSONValue) {
            var body: JSONObject = [:]
            body["syncToken"] = token
            let reply = try await user.post("changes/database", .object(body))
            #expect(reply.json["moreComing"] == false, "\(reply)")
            return (reply.items("zones"), try #require(reply.json["syncToken"], "\(reply)"))
        }
        func name(_ zone: JSONValue) -> String { zone["zoneID"]?["zoneName"]?.string ?? "" }
        let first = try await changes(nil)
        #expect(Set(first.zones.map(name)) == [one, two])
        #expect(try await changes(first.token).zones == [])
        try await user.save("r", Unique.type(), zone: two)
        let second = try await changes(first.token)
        #expect(second.zones.map(name) == [two])
        _ = try await user.post(
            "zones/modify",
            ["operations": [["operationType": "delete", "zone": ["zoneID": ["zoneName": .string(one)]]]]])
        let third = try await changes(second.token)
        #expect(third.zones.map(name) == [one] && third.zones.first?["deleted"] == true)
    }

    @Test("5.7 the older records/changes and zones/changes give the same changes; zones/changes by metaSyncToken")
    func olderForms() async throws {
        let user = try await ConformanceService.shared().user()
        let (zone, type) = (try await user.zone(), Unique.type())
        try await user.save("r", type, zone: zone)
        let records = try await user.post("records/changes", ["zoneID": ["zoneName": .string(zone)]])
        #expect(records.items("records").map(\.recordName) == ["r"], "\(records)")
        #expect(records.json["syncToken"]?.string != nil && records.json["moreComing"] == false)
        let zones = try await user.post("zones/changes", [:])
        #expect(zones.items("zones").count == 1)
        let token = try #require(zones.json["metaSyncToken"])
        #expect(try await user.post("zones/changes", ["metaSyncToken": token]).items("zones") == [])
        // 5.1: the wrong token key is ignored, and replays page 1.
        #expect(try await user.post("zones/changes", ["syncToken": token]).items("zones").count == 1)
    }

    @Test("5.7 the public database has no feed", arguments: ["changes/database", "changes/zone", "records/changes"])
    func publicFeed(endpoint: String) async throws {
        let user = try await ConformanceService.shared().user()
        let zone: JSONValue = ["zoneName": "_defaultZone"]
        let reply = try await user.post(endpoint, in: "public", ["zones": [["zoneID": zone]], "zoneID": zone])
        let codes = [reply.code] + reply.items("zones").map(\.code)
        #expect(codes.contains("BAD_REQUEST"), "\(reply)")
    }

    @Test("5.7 a token that is none, and one of another zone, is BAD_REQUEST")
    func tokens() async throws {
        let user = try await ConformanceService.shared().user()
        let (one, two) = (try await user.zone(), try await user.zone())
        let token = try await feed(user, one).token
        for wrong in [token, "nonsense"] {
            let reply = try await user.post(
                "changes/zone", ["zones": [["zoneID": ["zoneName": .string(two)], "syncToken": wrong]]])
            #expect(reply.items("zones").first?.code == "BAD_REQUEST", "\(reply)")
        }
    }

    @Test("5.7 a token of a zone that was deleted and made again has expired")
    func anotherZone() async throws {
        let user = try await ConformanceService.shared().user()
        let zone = try await user.zone()
        let token = try await feed(user, zone).token
        for kind in ["delete", "create"] {
            _ = try await user.post(
                "zones/modify",
                ["operations": [["operationType": .string(kind), "zone": ["zoneID": ["zoneName": .string(zone)]]]]])
        }
        let reply = try await user.post(
            "changes/zone", ["zones": [["zoneID": ["zoneName": .string(zone)], "syncToken": token]]])
        #expect(reply.items("zones").first?.code == "CHANGE_TOKEN_EXPIRED", "\(reply)")
    }
}
