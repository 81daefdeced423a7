import CloudModel
import Identity
import JSON
import RecordService
import TestSupport
import Testing

/// Users (docs/cloudkit.md#transport).
@Suite struct UserEndpointTests {
    @Test func userEndpointsNeedAUserAndThePublicDatabase() async throws {
        try await WebBench.run { bench in
            let alice = try await bench.signIn("alice")
            for endpoint in Endpoint.all where endpoint.path.hasPrefix("users/") {
                for database in ["private", "shared"] {
                    let body = try endpoint.body.map { String(decoding: try $0.serialized(), as: UTF8.self) }
                    let answer = try await bench.send(
                        endpoint.method, bench.database(endpoint.path, database), body: body, user: alice)
                    expect(answer, .badRequest)
                }
            }
        }
    }

    @Test func theCallerGetsTheirUserRecord() async throws {
        try await WebBench.run { bench in
            let alice = try await bench.signIn("Alice@Example.com")
            for path in ["users/caller", "users/current"] {
                let answer = try await bench.send("GET", bench.database(path), user: alice)
                #expect(answer.json["userRecordName"]?.string == alice.name)
                #expect(answer.json["emailAddress"] == "alice@example.com")
                #expect(
                    answer.json["nameComponents"]?["givenName"] == "Alice",
                    "fewer people see an address than a name")
            }
        }
    }

    @Test func usersAreFoundByAddressAndName() async throws {
        try await WebBench.run { bench in
            let alice = try await bench.signIn("alice@example.com")
            let bob = try await bench.signIn("bob")
            for user in [alice, bob] { try await Self.discoverable(true, user, bench) }
            _ = try await bench.system.identity.makeServerKey(note: "no person")
            let found = try await bench.send(
                "POST", bench.database("users/discover"),
                [
                    "lookupInfos": [
                        ["emailAddress": "ALICE@example.com"], ["emailAddress": "x@example.com"],
                        ["phoneNumber": "+1"], ["userRecordName": .string(bob.name)],
                    ]
                ], user: bob)
            let users = try #require(found.json["users"]?.array)
            #expect(users.map { $0["userRecordName"]?.string } == [alice.name, bob.name])
            #expect(users[0]["lookupInfo"] == ["emailAddress": "ALICE@example.com"])
            // The address of a user who was found otherwise is not returned.
            let byID = try await bench.send(
                "POST", bench.database("users/lookup/id"),
                [
                    "users": [
                        ["userRecordName": .string(alice.name)],
                        ["userRecordName": "_ffffffffffffffffffffffffffffffff"],
                    ]
                ],
                user: bob)
            #expect(byID.json["users"]?[0]?["userRecordName"]?.string == alice.name)
            #expect(byID.json["users"]?[0]?["emailAddress"] == nil)
            #expect(byID.json["users"]?[1]?["serverErrorCode"] == "NOT_FOUND")
            let byEmail = try await bench.send(
                "POST", bench.database("users/lookup/email"),
                ["users": [["emailAddress": "x"], ["emailAddress": "alice@example.com"]]], user: bob)
            #expect(byEmail.json["users"]?[0]?["serverErrorCode"] == "NOT_FOUND")
            #expect(byEmail.json["users"]?[1]?["userRecordName"]?.string == alice.name)
            let contacts = try await bench.send(
                "POST", bench.database("users/lookup/contacts"),
                ["contacts": [["phoneNumber": "+1"], ["emailAddress": "alice@example.com"]]], user: bob)
            #expect(contacts.json["users"]?[0]?["serverErrorCode"] == "NOT_FOUND")
            #expect(contacts.json["users"]?[1]?["userRecordName"]?.string == alice.name)
            let all = try await bench.send("GET", bench.database("users/discover"), user: bob)
            #expect(
                Set(all.json["users"]?.array?.compactMap { $0["userRecordName"]?.string } ?? []) == [
                    alice.name, bob.name,
                ])
        }
    }

    private static func discoverable(_ isDiscoverable: Bool, _ user: WebBench.SignedIn, _ bench: WebBench) async throws
    {
        let answer = try await bench.send(
            "POST", bench.database("users/discoverable"), ["isDiscoverable": .bool(isDiscoverable)], user: user)
        #expect(answer.json["isDiscoverable"] == .bool(isDiscoverable), "\(answer.json)")
    }

    /// A user who has allowed nothing looks absent to others, by any lookup.
    @Test func onlyDiscoverableUsersAreFound() async throws {
        try await WebBench.run { bench in
            let alice = try await bench.signIn("alice@example.com")
            let bob = try await bench.signIn("bob")
            func found(_ user: WebBench.SignedIn) async throws -> Set<String> {
                let lookups: JSONValue = [
                    ["emailAddress": "alice@example.com"], ["userRecordName": .string(alice.name)],
                ]
                var names: Set<String> = []
                for (path, member) in [("users/discover", "lookupInfos"), ("users/lookup/contacts", "contacts")] {
                    let answer = try await bench.send(
                        "POST", bench.database(path), [member: lookups], user: user)
                    let users = answer.json["users"]?.array?.filter { $0["serverErrorCode"] == nil } ?? []
                    names.formUnion(users.compactMap { $0["userRecordName"]?.string })
                }
                for (path, key, value) in [
                    ("users/lookup/email", "emailAddress", "alice@example.com"),
                    ("users/lookup/id", "userRecordName", alice.name),
                ] {
                    let answer = try await bench.send(
                        "POST", bench.database(path), ["users": [[key: .string(value)]]], user: user)
                    let item = answer.json["users"]?[0]
                    if item?["serverErrorCode"] == nil { names.insert(item?["userRecordName"]?.string ?? "") }
                }
                let all = try await bench.send("GET", bench.database("users/discover"), user: user)
                return names.union(all.json["users"]?.array?.compactMap { $0["userRecordName"]?.string } ?? [])
            }
            #expect(try await found(bob) == [])
            let hidden = try await bench.send(
                "POST", bench.database("users/discover"), ["lookupInfos": [["emailAddress": "alice@example.com"]]],
                user: bob)
            #expect(hidden.json["users"] == [], "\(hidden.json)")
            #expect(try await bench.send("GET", bench.database("users/discover"), user: bob).json["users"] == [])
            // Oneself one finds.
            #expect(try await found(alice) == [alice.name])
            try await Self.discoverable(true, alice, bench)
            let all = try await bench.send("GET", bench.database("users/discover"), user: bob)
            #expect(all.json["users"]?[0]?["userRecordName"]?.string == alice.name && all.json["users"]?[1] == nil)
            #expect(all.json["users"]?[0]?["emailAddress"] == nil)
            try await bench.system.identity.setBlocked(true, UserRecordName(trusted: alice.name))
            #expect(try await bench.send("GET", bench.database("users/discover"), user: bob).json["users"] == [])
        }
    }

    /// Inviting an address reveals no more than looking it up.
    @Test func anInvitationDoesNotRevealTheAddress() async throws {
        try await WebBench.run { bench in
            let alice = try await bench.signIn("alice@example.com")
            let mallory = try await bench.signIn("mallory")
            _ = try await bench.send(
                "POST", bench.database("zones/modify", "private"),
                ["operations": [["operationType": "create", "zone": ["zoneID": ["zoneName": "z"]]]]], user: mallory)
            let made = try await bench.send(
                "POST", bench.database("records/modify", "private"),
                [
                    "zoneID": ["zoneName": "z"],
                    "operations": [
                        [
                            "operationType": "create",
                            "record": [
                                "recordName": "cloudkit.zoneshare", "recordType": "cloudkit.share",
                                "participants": [
                                    [
                                        "userIdentity": ["lookupInfo": ["emailAddress": "alice@example.com"]],
                                        "permission": "READ_ONLY",
                                    ]
                                ],
                            ],
                        ]
                    ],
                ], user: mallory)
            #expect(made.json["records"]?[0]?["participants"]?[1] != nil, "\(made.json)")
            #expect(!String(decoding: made.body, as: UTF8.self).contains(alice.name))
            // She can accept all the same.
            let guid = try #require(made.json["records"]?[0]?["shortGUID"]?.string)
            let accepted = try await bench.send(
                "POST", bench.database("records/accept"), ["shortGUIDs": [["value": .string(guid)]]], user: alice)
            #expect(accepted.json["results"]?[0]?["participantStatus"] == "ACCEPTED", "\(accepted.json)")
        }
    }
}
