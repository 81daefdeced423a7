import JSON
import Testing

@Suite("8.4 Hierarchies") struct HierarchyTests {
    private func record(_ name: String, _ type: String, below parent: String? = nil) -> JSONValue {
        var record: JSONObject = ["recordName": .string(name), "recordType": .string(type), "fields": [:]]
        if let parent { record["parent"] = ["recordName": .string(parent)] }
        return .object(record)
    }

    @Test("8.4 a parent may come after its children in the request", arguments: [true, false])
    func order(isAtomic: Bool) async throws {
        let user = try await ConformanceService.shared().user()
        let (zone, type) = (try await user.zone(), Unique.type())
        let reply = try await user.modify(
            [
                ("create", record("c", type, below: "b")), ("create", record("b", type, below: "a")),
                ("create", record("a", type)),
            ], zone: zone, ["atomic": .bool(isAtomic)])
        #expect(reply.items("records").map(\.code) == [nil, nil, nil], "\(reply)")
        #expect(reply.items("records").map(\.recordName) == ["c", "b", "a"], "in the order of the operations")
    }

    @Test("8.4 a parent that is nowhere is VALIDATING_REFERENCE_ERROR")
    func missing() async throws {
        let user = try await ConformanceService.shared().user()
        let (zone, type) = (try await user.zone(), Unique.type())
        let alone = try await user.modify("create", record("c", type, below: "nowhere"), zone: zone)
        #expect(alone.code == "VALIDATING_REFERENCE_ERROR", "\(alone)")
        let together = try await user.modify(
            [("create", record("d", type, below: "c")), ("create", record("c", type, below: "nowhere"))], zone: zone)
        #expect(
            together.items("records").map(\.code) == ["ATOMIC_ERROR", "VALIDATING_REFERENCE_ERROR"], "\(together)")
    }

    @Test("8.4 a parent whose children stay is not deleted", arguments: ["private", "public"])
    func deletion(database: String) async throws {
        let user = try await ConformanceService.shared().user()
        let type = Unique.type()
        let zone = database == "private" ? try await user.zone() : nil
        let (top, child) = ("top-\(Unique.text())", "child-\(Unique.text())")
        _ = try await user.modify(
            [("create", record(top, type)), ("create", record(child, type, below: top))], in: database, zone: zone)
        let refused = try await user.modify(
            "forceDelete", ["recordName": .string(top)], in: database, zone: zone)
        #expect(refused.code == "VALIDATING_REFERENCE_ERROR", "\(refused)")
        let deleted = try await user.modify(
            [("forceDelete", ["recordName": .string(top)]), ("forceDelete", ["recordName": .string(child)])],
            in: database, zone: zone)
        #expect(deleted.items("records").map(\.code) == [nil, nil], "\(deleted)")
    }
}
