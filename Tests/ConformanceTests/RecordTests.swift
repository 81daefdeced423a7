import JSON
import Testing

@Suite("5.3, 5.5, 8 Records") struct RecordTests {
    @Test("5.5 create saves a record and answers it with its system fields")
    func create() async throws {
        let user = try await ConformanceService.shared().user()
        let type = Unique.type()
        let record = try await user.modify(
            "create", ["recordName": "r", "recordType": .string(type), "fields": ["n": ["value": 1]]])
        #expect(record.recordName == "r" && record["recordType"]?.string == type && record.field("n") == 1)
        #expect(record.tag?.isEmpty == false && record["deleted"] != true)
        for stamp in ["created", "modified"] {
            #expect(record[stamp]?["userRecordName"]?.string == user.recordName)
            #expect((record[stamp]?["timestamp"]?.integer ?? 0) > 1_500_000_000_000)
        }
        #expect(record["zoneID"]?["zoneName"] == "_defaultZone")
    }

    @Test("5.3 a record without a name gets a random one")
    func madeNames() async throws {
        let user = try await ConformanceService.shared().user()
        let type = Unique.type()
        let first = try await user.modify("create", ["recordType": .string(type)])
        let second = try await user.modify("create", ["recordType": .string(type)])
        let name = try #require(first.recordName)
        #expect(name.utf8.count >= 32 && name != second.recordName)
    }

    @Test("5.5 create of what exists is EXISTS")
    func exists() async throws {
        let user = try await ConformanceService.shared().user()
        let type = Unique.type()
        try await user.save("r", type)
        #expect(try await user.modify("create", ["recordName": "r", "recordType": .string(type)]).code == "EXISTS")
    }

    @Test("5.5 update merges the given fields and gives a new tag")
    func update() async throws {
        let user = try await ConformanceService.shared().user()
        let type = Unique.type()
        let saved = try await user.save("r", type, ["a": "1", "b": "1"])
        let updated = try await user.modify(
            "update",
            ["recordName": "r", "recordChangeTag": saved["recordChangeTag"]!, "fields": ["b": ["value": "2"]]])
        #expect(updated.field("a") == "1" && updated.field("b") == "2" && updated.tag != saved.tag)
    }

    @Test("5.5 update with an old tag is CONFLICT", arguments: ["update", "replace", "delete"])
    func conflict(operation: String) async throws {
        let user = try await ConformanceService.shared().user()
        let type = Unique.type()
        let old = try await user.save("r", type, ["a": "1"])
        let new = try await user.save("r", type, ["a": "2"])
        let item = try await user.modify(
            operation, ["recordName": "r", "recordType": .string(type), "recordChangeTag": old["recordChangeTag"]!])
        #expect(item.code == "CONFLICT" && item.recordName == "r")
        #expect(try await user.lookUp("r").first?.tag == new.tag)
    }

    @Test("5.5 update of a record that is not there is NOT_FOUND", arguments: ["update", "replace", "delete"])
    func updateOfNothing(operation: String) async throws {
        let user = try await ConformanceService.shared().user()
        let item = try await user.modify(
            operation, ["recordName": "r", "recordType": "T", "recordChangeTag": "1"])
        #expect(item.code == "NOT_FOUND")
    }

    @Test("5.5 update without a tag is BAD_REQUEST")
    func missingTag() async throws {
        let user = try await ConformanceService.shared().user()
        let type = Unique.type()
        try await user.save("r", type)
        #expect(
            try await user.modify("update", ["recordName": "r", "recordType": .string(type)]).code == "BAD_REQUEST")
    }

    @Test("5.5 forceUpdate creates or merges without a tag")
    func forceUpdate() async throws {
        let user = try await ConformanceService.shared().user()
        let type = Unique.type()
        #expect(try await user.save("r", type, ["a": "1"]).field("a") == "1")
        let merged = try await user.save("r", type, ["b": "2"])
        #expect(merged.field("a") == "1" && merged.field("b") == "2")
    }

    @Test("5.5 replace and forceReplace take the fields away that are not given")
    func replace() async throws {
        let user = try await ConformanceService.shared().user()
        let type = Unique.type()
        let saved = try await user.save("r", type, ["a": "1", "b": "1"])
        let replaced = try await user.modify(
            "replace",
            [
                "recordName": "r", "recordType": .string(type), "recordChangeTag": saved["recordChangeTag"]!,
                "fields": ["b": ["value": "2"]],
            ])
        #expect(replaced.field("a") == nil && replaced.field("b") == "2", "\(replaced)")
        let forced = try await user.modify(
            "forceReplace", ["recordName": "r", "recordType": .string(type), "fields": ["c": ["value": "3"]]])
        #expect(forced.field("b") == nil && forced.field("c") == "3", "\(forced)")
        let made = try await user.modify("forceReplace", ["recordName": "n", "recordType": .string(type)])
        #expect(made.recordName == "n" && made.code == nil)
    }

    @Test("5.5 delete answers the name and deleted, and the record is gone")
    func delete() async throws {
        let user = try await ConformanceService.shared().user()
        let saved = try await user.save("r", Unique.type())
        let deleted = try await user.modify(
            "delete", ["recordName": "r", "recordChangeTag": saved["recordChangeTag"]!])
        #expect(deleted == ["recordName": "r", "deleted": true])
        #expect(try await user.lookUp("r").first?.code == "NOT_FOUND")
    }

    @Test("5.5 forceDelete needs no tag")
    func forceDelete() async throws {
        let user = try await ConformanceService.shared().user()
        try await user.save("r", Unique.type())
        #expect(try await user.modify("forceDelete", ["recordName": "r"]) == ["recordName": "r", "deleted": true])
    }

    @Test("5.5 items answer in the order of operations, errors among them")
    func order() async throws {
        let user = try await ConformanceService.shared().user()
        let type = JSONValue.string(Unique.type())
        let reply = try await user.modify([
            ("create", ["recordName": "a", "recordType": type]),
            ("update", ["recordName": "b", "recordType": type, "recordChangeTag": "1"]),
            ("create", ["recordName": "c", "recordType": type]),
        ])
        #expect(reply.status == 200)
        #expect(reply.items("records").map(\.recordName) == ["a", "b", "c"])
        // 8.3: the default zone is never atomic.
        #expect(reply.items("records").map(\.code) == [nil, "NOT_FOUND", nil])
    }

    @Test("5.5 desiredKeys choose the fields of the answer")
    func desiredKeys() async throws {
        let user = try await ConformanceService.shared().user()
        let record: JSONValue = [
            "recordName": "r", "recordType": .string(Unique.type()), "fields": ["a": ["value": 1], "b": ["value": 2]],
        ]
        let reply = try await user.modify([("create", record)], ["desiredKeys": ["b"]])
        #expect(reply.items("records").first?["fields"]?.object?.map(\.key) == ["b"], "\(reply)")
    }

    @Test("8.3 a request in a custom zone is all or nothing unless atomic is false")
    func atomic() async throws {
        let user = try await ConformanceService.shared().user()
        let zone = try await user.zone()
        let type = JSONValue.string(Unique.type())
        let operations: [(String, JSONValue)] = [
            ("create", ["recordName": "a", "recordType": type]),
            ("update", ["recordName": "none", "recordType": type, "recordChangeTag": "1"]),
        ]
        let atomic = try await user.modify(operations, zone: zone)
        let codes = atomic.status == 200 ? atomic.items("records").map(\.code) : [atomic.code]
        #expect(codes == ["ATOMIC_ERROR", "NOT_FOUND"], "\(atomic)")
        #expect(try await user.lookUp("a", zone: zone).first?.code == "NOT_FOUND")
        let alone = try await user.modify(operations, zone: zone, ["atomic": false])
        #expect(alone.items("records").map(\.code) == [nil, "NOT_FOUND"])
        #expect(try await user.lookUp("a", zone: zone).first?.code == nil)
    }

    // MARK: Fields

    /// A type, and a value that comes back as it went.
    static let values: [(type: String, value: JSONValue)] = [
        ("STRING", "Grüße \u{1F3BB} e\u{301} \u{0} \\ \" \u{2028}"), ("STRING", ""),
        ("INT64", .integer(.max)), ("INT64", .integer(.min)), ("INT64", 9_007_199_254_740_993),
        ("DOUBLE", 0.1), ("DOUBLE", -1.7976931348623157e308), ("DOUBLE", 2.5e-300), ("TIMESTAMP", 1_795_285_635_013),
        ("TIMESTAMP", -1), ("BYTES", "AAH/"), ("BYTES", ""),
        ("LOCATION", ["latitude": -33.5, "longitude": 151.25]),
        (
            "LOCATION",
            [
                "latitude": 1.5, "longitude": 2.5, "horizontalAccuracy": 3.5, "verticalAccuracy": 4.5, "altitude": 5.5,
                "speed": 6.5, "course": 7.5, "timestamp": 8,
            ]
        ),
        ("REFERENCE", ["recordName": "elsewhere", "action": "NONE"]),
        ("STRING_LIST", ["a", "", "b"]), ("INT64_LIST", [1, .integer(.max)]), ("DOUBLE_LIST", [0.5, 1.5]),
        ("TIMESTAMP_LIST", [1, 2]), ("BYTES_LIST", ["AA=="]), ("STRING_LIST", []),
        ("LOCATION_LIST", [["latitude": 1.5, "longitude": 2.5]]),
        ("REFERENCE_LIST", [["recordName": "a", "action": "NONE"], ["recordName": "b", "action": "NONE"]]),
    ]

    @Test("5.3 fields of every type come back as they went", arguments: RecordTests.values)
    func types(type: String, value: JSONValue) async throws {
        let user = try await ConformanceService.shared().user()
        let saved = try await user.modify(
            "create",
            [
                "recordName": "r", "recordType": .string(Unique.type()),
                "fields": ["f": ["value": value, "type": .string(type)]],
            ])
        #expect(saved.field("f") == value, "\(saved)")
        let found = try await user.lookUp("r")
        #expect(found.first?["fields"]?["f"] == ["value": value, "type": .string(type)])
    }

    @Test(
        "5.3 the type of a value is inferred where it is not given",
        arguments: [
            ("x", "STRING"), (1, "INT64"), (1.5, "DOUBLE"), (["x"], "STRING_LIST"), ([1, 2], "INT64_LIST"),
            (["recordName": "a", "action": "NONE"], "REFERENCE"), (["latitude": 1.5, "longitude": 2.5], "LOCATION"),
        ] as [(JSONValue, String)])
    func inference(value: JSONValue, type: String) async throws {
        let user = try await ConformanceService.shared().user()
        let saved = try await user.save("r", Unique.type(), ["f": value])
        #expect(saved["fields"]?["f"]?["type"]?.string == type, "\(saved)")
    }

    @Test(
        "5.3 a value of the wrong kind is BAD_REQUEST with the expected type",
        arguments: [
            ("INT64", "1"), ("INT64", 1.5), ("INT64", true), ("STRING", 1), ("DOUBLE", "x"), ("TIMESTAMP", "1"),
            ("BYTES", "%"), ("LOCATION", ["latitude": 1.5]), ("REFERENCE", "r"), ("STRING_LIST", "x"),
            ("STRING_LIST", [1]), ("LOCATION", ["latitude": 91.5, "longitude": 0.5]),
        ] as [(String, JSONValue)])
    func wrongKinds(type: String, value: JSONValue) async throws {
        let user = try await ConformanceService.shared().user()
        let reply = try await user.modify([
            (
                "create",
                [
                    "recordName": "r", "recordType": .string(Unique.type()),
                    "fields": ["f": ["value": value, "type": .string(type)]],
                ]
            )
        ])
        let error = reply.status == 200 ? reply.items("records")[0] : reply.json
        #expect(error.code == "BAD_REQUEST", "\(reply)")
        #expect(error["reason"]?.string?.contains("f") == true)
    }

    @Test("8.1 the first value fixes the type of a field")
    func fixedTypes() async throws {
        let user = try await ConformanceService.shared().user()
        let type = Unique.type()
        try await user.save("a", type, ["f": "text"])
        let item = try await user.save("b", type, ["f": 1])
        #expect(item.code == "BAD_REQUEST" && item["reason"]?.string?.contains("STRING") == true, "\(item)")
    }

    @Test("8.1 null removes a field")
    func null() async throws {
        let user = try await ConformanceService.shared().user()
        let type = Unique.type()
        try await user.save("r", type, ["a": "1", "b": "1"])
        let saved = try await user.save("r", type, ["a": nil])
        #expect(saved.field("a") == nil && saved.field("b") == "1")
    }

    @Test("5.5 numbersAsStrings writes numbers as strings")
    func numbersAsStrings() async throws {
        let user = try await ConformanceService.shared().user()
        let record: JSONValue = [
            "recordName": "r", "recordType": .string(Unique.type()),
            "fields": ["n": ["value": "9223372036854775807", "type": "INT64"]],
        ]
        let saved = try await user.modify([("create", record)], ["numbersAsStrings": true])
        #expect(saved.items("records").first?.field("n") == "9223372036854775807", "\(saved)")
        let plain = try await user.lookUp("r")
        #expect(plain.first?.field("n") == .integer(.max))
    }

    // MARK: References

    @Test("8.4 a VALIDATE reference to nothing is VALIDATING_REFERENCE_ERROR")
    func validate() async throws {
        let user = try await ConformanceService.shared().user()
        let type = Unique.type()
        let reference: JSONValue = ["recordName": "target", "action": "VALIDATE"]
        #expect(try await user.save("r", type, ["to": reference]).code == "VALIDATING_REFERENCE_ERROR")
        try await user.save("target", type)
        #expect(try await user.save("r", type, ["to": reference]).code == nil)
    }

    @Test("8.4 what refers by DELETE_SELF is deleted with its target, in cascades and cycles")
    func cascade() async throws {
        let user = try await ConformanceService.shared().user()
        let type = Unique.type()
        func reference(_ name: String) -> JSONValue { ["recordName": .string(name), "action": "DELETE_SELF"] }
        try await user.save("a", type)
        try await user.save("b", type, ["to": reference("a")])
        try await user.save("c", type, ["to": reference("b")])
        try await user.save("a", type, ["to": reference("c")])
        try await user.save("d", type, ["to": ["recordName": "a", "action": "NONE"]])
        #expect(try await user.modify("forceDelete", ["recordName": "a"])["deleted"] == true)
        let codes = try await user.lookUp("a", "b", "c", "d").map(\.code)
        #expect(codes == ["NOT_FOUND", "NOT_FOUND", "NOT_FOUND", nil])
    }

    @Test("8.6 in the public database the creator alone changes a record, and everybody reads it")
    func publicPermissions() async throws {
        let service = try await ConformanceService.shared()
        let (owner, other) = (try await service.user(), try await service.user())
        let (type, name) = (Unique.type(), Unique.text())
        #expect(try await owner.save(name, type, ["a": 1], in: "public").code == nil)
        #expect(try await other.save(name, type, ["a": 2], in: "public").code == "ACCESS_DENIED")
        let item = try await other.modify("forceDelete", ["recordName": .string(name)], in: "public")
        #expect(item.code == "ACCESS_DENIED")
        #expect(try await service.anonymous().lookUp(name, in: "public").first?.field("a") == 1)
        expect(
            try await service.anonymous().modify(
                [("create", ["recordType": .string(type)])], in: "public"), 421, "AUTHENTICATION_REQUIRED")
    }
}
