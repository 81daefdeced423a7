import JSON
import Testing

@Suite("0, 8 Users are records") struct UserRecordTests {
    private func update(_ user: Visitor, _ name: String, _ fields: JSONValue) async throws -> JSONValue {
        try await user.modify(
            "forceUpdate", ["recordName": .string(name), "recordType": "Users", "fields": fields], in: "public")
    }

    @Test("0 a user is a record of the public database, named as users/caller says")
    func record() async throws {
        let user = try await ConformanceService.shared().user()
        let caller = try await user.get("users/caller", in: "public").json
        let record = try #require(try await user.lookUp(user.recordName, in: "public").first)
        #expect(record.recordName == caller["userRecordName"]?.string && record["recordType"] == "Users", "\(record)")
        #expect(record["created"]?["userRecordName"]?.string == user.recordName)
        #expect(record["fields"] == [:])
    }

    @Test("8.6 a user's record is read by everybody and changed by the user alone")
    func permissions() async throws {
        let service = try await ConformanceService.shared()
        let (one, two) = (try await service.user(), try await service.user())
        let nickname: JSONValue = ["nickname": ["value": "Ann"]]
        #expect(try await update(one, one.recordName, nickname).field("nickname") == "Ann")
        for reader in [two, service.anonymous()] {
            #expect(try await reader.lookUp(one.recordName, in: "public").first?.field("nickname") == "Ann")
        }
        #expect(try await update(two, one.recordName, ["nickname": ["value": "Bob"]]).code == "ACCESS_DENIED")
    }

    @Test("8.6 users are neither made nor deleted by saving records")
    func life() async throws {
        let user = try await ConformanceService.shared().user()
        #expect(try await update(user, "_00000000000000000000000000000000", [:]).code == "NOT_FOUND")
        #expect(try await update(user, "somebody", [:]).code == "BAD_REQUEST")
        let deleted = try await user.modify("forceDelete", ["recordName": .string(user.recordName)], in: "public")
        #expect(deleted.code == "BAD_REQUEST", "\(deleted)")
        let other = try await user.modify(
            "create", ["recordName": .string(user.recordName), "recordType": "Users"], in: "private")
        #expect(other.code == "NOT_FOUND", "\(other)")
    }

    @Test("8.4 references lead to users, in fields and lists, from any database", arguments: ["public", "private"])
    func references(database: String) async throws {
        let service = try await ConformanceService.shared()
        let (one, two) = (try await service.user(), try await service.user())
        let type = Unique.type()
        func to(_ user: String, _ action: String) -> JSONValue {
            ["recordName": .string(user), "action": .string(action)]
        }
        func save(_ value: JSONValue, _ field: String) async throws -> JSONValue {
            try await one.modify(
                "forceUpdate",
                [
                    "recordName": .string(Unique.text()), "recordType": .string(type),
                    "fields": .object([field: ["value": value]]),
                ], in: database)
        }
        for action in ["NONE", "VALIDATE"] {
            let saved = try await save(to(two.recordName, action), "owner")
            #expect(saved.field("owner")?["recordName"]?.string == two.recordName, "\(saved)")
            let list = try await save([to(one.recordName, action), to(two.recordName, action)], "likes")
            #expect(list.field("likes")?.array?.count == 2, "\(list)")
        }
        let nobody = "_00000000000000000000000000000000"
        #expect(try await save(to(nobody, "NONE"), "owner").code == nil)
        #expect(try await save(to(nobody, "VALIDATE"), "owner").code == "VALIDATING_REFERENCE_ERROR")
        #expect(try await save(to(two.recordName, "DELETE_SELF"), "owner").code == "BAD_REQUEST")
        let found = try await one.post(
            "records/query", in: database,
            [
                "query": [
                    "recordType": .string(type),
                    "filterBy": [
                        [
                            "fieldName": "likes", "comparator": "LIST_CONTAINS",
                            "fieldValue": ["value": to(two.recordName, "NONE"), "type": "REFERENCE"],
                        ]
                    ],
                ]
            ])
        #expect(found.items("records").count == 2, "\(found)")
    }

    @Test("6 users are looked up by name, and not looked for")
    func queries() async throws {
        let user = try await ConformanceService.shared().user()
        let reply = try await user.post("records/query", in: "public", ["query": ["recordType": "Users"]])
        expect(reply, 400, "BAD_REQUEST")
        let subscription = try await user.post(
            "subscriptions/modify", in: "public",
            [
                "operations": [
                    [
                        "operationType": "create",
                        "subscription": [
                            "subscriptionType": "query", "query": ["recordType": "Users"], "firesOn": ["update"],
                            "notificationInfo": [:],
                        ],
                    ]
                ]
            ])
        #expect(subscription.items("subscriptions").first?.code == "BAD_REQUEST", "\(subscription)")
    }

    @Test("5.11 a user's record has files, as pictures of the user")
    func files() async throws {
        let user = try await ConformanceService.shared().user()
        let asked = try await user.post(
            "assets/upload", in: "public",
            ["tokens": [["recordName": .string(user.recordName), "recordType": "Users", "fieldName": "avatar"]]])
        let url = try #require(asked.items("tokens").first?["url"]?.string, "\(asked)")
        let file = try await user.service.send("POST", url, [1, 2, 3], headers: [("Content-Type", "image/png")])
        let saved = try await update(
            user, user.recordName, ["avatar": ["value": try #require(file.json["singleFile"]), "type": "ASSETID"]])
        #expect(saved.field("avatar")?["size"] == 3, "\(saved)")
    }
}
