import JSON
import Testing

@Suite("8.1 Encrypted fields") struct EncryptedFieldTests {
    private func save(
        _ user: Visitor, _ type: String, _ fields: JSONValue, in database: String = "private"
    ) async throws -> JSONValue {
        try await user.modify(
            "create",
            ["recordName": .string(Unique.text()), "recordType": .string(type), "fields": fields], in: database)
    }

    @Test(
        "a field is encrypted by its type or by isEncrypted, and answered open",
        arguments: [
            (["value": "Ann", "type": "ENCRYPTED_STRING"], "STRING"),
            (["value": "Ann", "isEncrypted": true], "STRING"),
            (["value": 71.5, "type": "DOUBLE", "isEncrypted": true], "DOUBLE"),
            (["value": "SGk=", "type": "ENCRYPTED_BYTES"], "ENCRYPTED_BYTES"),
            (["value": ["a", "b"], "type": "ENCRYPTED_STRING_LIST"], "STRING_LIST"),
            (["value": ["latitude": 1.5, "longitude": 2.5], "isEncrypted": true], "LOCATION"),
        ] as [(JSONValue, String)])
    func forms(field: JSONValue, type: String) async throws {
        let user = try await ConformanceService.shared().user()
        let saved = try await save(user, Unique.type(), ["f": field, "plain": ["value": 1]])
        let name = try #require(saved.recordName, "\(saved)")
        let found = try #require(try await user.lookUp(name).first)
        for record in [saved, found] {
            #expect(record["fields"]?["f"] == ["value": field["value"]!, "type": .string(type), "isEncrypted": true])
            #expect(record["fields"]?["plain"] == ["value": 1, "type": "INT64"])
        }
    }

    @Test(
        "an encrypted time comes back with the exact seconds that were sent",
        arguments: [
            (1_700_000_000_123, 721_692_800.123_456_7 as JSONValue, true), (1_700_000_000_123, 721_692_801.5, false),
            ([1_700_000_000_123, 0], [721_692_800.123_4, -978_307_200.000_1], true), ([0], [1, 2], false),
        ] as [(JSONValue, JSONValue, Bool)])
    func exactTimes(value: JSONValue, seconds: JSONValue, isKept: Bool) async throws {
        let user = try await ConformanceService.shared().user()
        let isList = value.array != nil
        let field: JSONValue = [
            "value": value, "type": isList ? "TIMESTAMP_LIST" : "TIMESTAMP", "isEncrypted": true,
            "exactSeconds": seconds,
        ]
        let saved = try await save(user, Unique.type(), ["f": field])
        let found = try await user.lookUp(try #require(saved.recordName, "\(saved)")).first
        for record in [saved, found] {
            #expect(record?["fields"]?["f"]?["value"] == value)
            #expect(
                record?["fields"]?["f"]?["exactSeconds"] == (isKept ? Optional(seconds) : Optional<JSONValue>.none),
                "\(String(describing: record))")
        }
    }

    @Test("the public database has none, and references and files are none")
    func refusals() async throws {
        let user = try await ConformanceService.shared().user()
        let secret: JSONValue = ["f": ["value": "Ann", "isEncrypted": true]]
        #expect(try await save(user, Unique.type(), secret, in: "public").code == "BAD_REQUEST")
        let reference: JSONValue = ["f": ["value": ["recordName": "x"], "isEncrypted": true]]
        #expect(try await save(user, Unique.type(), reference).code == "BAD_REQUEST")
    }

    @Test("nothing is asked of an encrypted field: no filter, predicate or order, and no notification carries it")
    func questions() async throws {
        let user = try await ConformanceService.shared().user()
        let type = Unique.type()
        let saved = try await save(user, type, ["f": ["value": "Ann", "isEncrypted": true], "n": ["value": 1]])
        func query(_ more: JSONObject, _ sorts: JSONValue? = nil) async throws -> Reply {
            var query = more
            query["recordType"] = .string(type)
            if let sorts { query["sortBy"] = sorts }
            return try await user.post("records/query", ["query": .object(query)])
        }
        let filter: JSONValue = [
            ["fieldName": "f", "comparator": "EQUALS", "fieldValue": ["value": "Ann", "type": "STRING"]]
        ]
        #expect(try await query(["filterBy": filter]).code == "BAD_REQUEST")
        #expect(try await query(["predicate": "f == 'Ann'"]).code == "BAD_REQUEST")
        #expect(try await query(["predicate": "f != nil"]).code == "BAD_REQUEST")
        #expect(try await query([:], [["fieldName": "f", "ascending": true]]).code == "BAD_REQUEST")
        let all = try await query([:])
        #expect(all.items("records").map(\.recordName) == [saved.recordName])
        #expect(all.items("records").first?.field("f") == "Ann")
        func subscribe(_ query: JSONObject, _ info: JSONObject) async throws -> String? {
            var query = query
            query["recordType"] = .string(type)
            let reply = try await user.post(
                "subscriptions/modify",
                [
                    "operations": [
                        [
                            "operationType": "create",
                            "subscription": [
                                "subscriptionType": "query", "query": .object(query), "firesOn": ["create"],
                                "notificationInfo": .object(info),
                            ],
                        ]
                    ]
                ])
            return reply.code ?? reply.items("subscriptions").first?.code
        }
        #expect(try await subscribe(["filterBy": filter], ["shouldBadge": true]) == "BAD_REQUEST")
        #expect(try await subscribe([:], ["shouldBadge": true, "additionalFields": ["f"]]) == "BAD_REQUEST")
        #expect(try await subscribe([:], ["shouldBadge": true, "additionalFields": ["n"]]) == nil)
    }

    @Test(
        "a comparison that is called encrypted is refused, by its type or by isEncrypted, whatever the field is",
        arguments: [
            ["value": "x", "isEncrypted": true], ["value": "x", "type": "STRING", "isEncrypted": true],
            ["value": "x", "type": "ENCRYPTED_STRING"],
        ] as [JSONValue])
    func encryptedComparisons(value: JSONValue) async throws {
        let user = try await ConformanceService.shared().user()
        let type = Unique.type()
        try await user.save("r", type, ["s": "x"])
        func query(_ members: JSONObject) async throws -> Reply {
            var query = members
            query["recordType"] = .string(type)
            return try await user.post("records/query", ["query": .object(query)])
        }
        let filters = try await query([
            "filterBy": [["fieldName": "s", "comparator": "EQUALS", "fieldValue": value]]
        ])
        expect(filters, 400, "BAD_REQUEST")
        #expect(filters.json["reason"]?.string?.contains("nothing is compared with an encrypted field") == true)
        let predicate = try await query(["predicate": "s == %@", "predicateArguments": [value]])
        expect(predicate, 400, "BAD_REQUEST")
        var list = value.object!
        list["value"] = ["x"]
        list["type"] = (list["type"]?.string).map { .string("\($0)_LIST") } ?? "STRING_LIST"
        let lists = try await query([
            "filterBy": [["fieldName": "s", "comparator": "IN", "fieldValue": .object(list)]]
        ])
        expect(lists, 400, "BAD_REQUEST")
        let plain: JSONValue = ["value": "x", "isEncrypted": false]
        let found = try await query(["filterBy": [["fieldName": "s", "comparator": "EQUALS", "fieldValue": plain]]])
        #expect(found.items("records").count == 1, "\(found)")
    }

    @Test("a participant of a share reads and writes it")
    func shared() async throws {
        let service = try await ConformanceService.shared()
        let (owner, guest) = (try await service.user(), try await service.user())
        let zone = try await owner.zone()
        let type = Unique.type()
        _ = try await owner.modify(
            "create",
            ["recordName": "r", "recordType": .string(type), "fields": ["f": ["value": "Ann", "isEncrypted": true]]],
            zone: zone)
        let share = try await owner.modify(
            "create",
            ["recordName": "cloudkit.zoneshare", "recordType": "cloudkit.share", "publicPermission": "READ_WRITE"],
            zone: zone)
        let guid = try #require(share["shortGUID"]?.string, "\(share)")
        _ = try await guest.post(
            "records/accept", in: "public", ["shortGUIDs": [["value": .string(guid)]]])
        let place: JSONValue = ["zoneName": .string(zone), "ownerRecordName": .string(owner.recordName)]
        let found = try await guest.post(
            "records/lookup", in: "shared", ["records": [["recordName": "r"]], "zoneID": place])
        #expect(found.items("records").first?.field("f") == "Ann", "\(found.json)")
        _ = try await guest.post(
            "records/modify", in: "shared",
            [
                "operations": [
                    [
                        "operationType": "forceUpdate",
                        "record": [
                            "recordName": "r", "recordType": .string(type), "fields": ["f": ["value": "Bea"]],
                        ],
                    ]
                ], "zoneID": place,
            ])
        #expect(try await owner.lookUp("r", zone: zone).first?.field("f") == "Bea")
    }
}
