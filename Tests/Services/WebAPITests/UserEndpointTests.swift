import CloudModel
import JSON
import RecordService
import TestSupport
import Testing

/// Users (spec sections 5.2 and 5.10).
@Suite struct UserEndpointTests {
    @Test func usersAreAskedForInThePublicDatabaseByPersonsAlone() async throws {
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

    @Test func theCallerIsToldWhoTheyAre() async throws {
        try await WebBench.run { bench in
            let alice = try await bench.signIn("Alice@Example.com")
            for path in ["users/caller", "users/current"] {
                let answer = try await bench.send("GET", bench.database(path), user: alice)
                #expect(answer.json["userRecordName"]?.string == alice.name)
                #expect(answer.json["emailAddress"] == "alice@example.com")
                #expect(answer.json["nameComponents"]?["givenName"] == "Alice@Example.com")
            }
        }
    }

    @Test func usersFindEachOtherByWhatTheyKnow() async throws {
        try await WebBench.run { bench in
            let alice = try await bench.signIn("alice@example.com")
            let bob = try await bench.signIn("bob")
            _ = try await bench.system.service.makeServerKey(note: "no person")
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
            // The address of who was found otherwise is not told.
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
}
