import CloudModel
import JSON
import Testing

/// Addresses of participants are their own and the owner's.
@Suite struct ShareAddressTests {
    @Test func invitedAddressesAreHiddenFromOthers() async throws {
        try await WebBench.run { bench in
            let alice = try await bench.signIn("alice")
            let bob = try await bench.signIn("bob@example.com")
            let carol = try await bench.signIn("carol@example.com")
            let passerBy = try await bench.signIn("passer-by")
            let zone: JSONValue = ["zoneName": "z"]
            _ = try await bench.send(
                "POST", bench.database("zones/modify", "private"),
                ["operations": [["operationType": "create", "zone": ["zoneID": zone]]]], user: alice)
            func person(_ address: String) -> JSONValue {
                ["userIdentity": ["lookupInfo": ["emailAddress": .string(address)]], "permission": "READ_ONLY"]
            }
            let share: JSONValue = [
                "zoneID": zone,
                "operations": [
                    [
                        "operationType": "create",
                        "record": [
                            "recordName": "cloudkit.zoneshare", "recordType": "cloudkit.share",
                            "publicPermission": "READ_ONLY",
                            "participants": [person("bob@example.com"), person("carol@example.com")],
                        ],
                    ]
                ],
            ]
            let made = try await bench.send("POST", bench.database("records/modify", "private"), share, user: alice)
            func addresses(_ answer: Answer) -> [String] {
                let text = String(decoding: answer.body, as: UTF8.self)
                return ["bob", "carol"].filter { text.contains("\($0)@example.com") }
            }
            #expect(addresses(made) == ["bob", "carol"], "\(made.json)")
            let guid = try #require(made.json["records"]?[0]?["shortGUID"]?.string)
            let guids: JSONValue = ["shortGUIDs": [["value": .string(guid)]]]
            for user in [bob, carol] {
                _ = try await bench.send("POST", bench.database("records/accept"), guids, user: user)
            }
            func resolved(_ user: WebBench.SignedIn) async throws -> [String] {
                addresses(try await bench.send("POST", bench.database("records/resolve"), guids, user: user))
            }
            #expect(try await resolved(alice) == ["bob", "carol"])
            #expect(try await resolved(bob) == ["bob"])
            #expect(try await resolved(passerBy) == [])
            let shared: JSONValue = ["zoneName": "z", "ownerRecordName": .string(alice.name)]
            let feed = try await bench.send(
                "POST", bench.database("changes/zone", "shared"), ["zones": [["zoneID": shared]]], user: carol)
            #expect(addresses(feed) == ["carol"], "\(feed.json)")
            let found = try await bench.send(
                "POST", bench.database("records/lookup", "shared"),
                ["zoneID": shared, "records": [["recordName": "cloudkit.zoneshare"]]], user: bob)
            #expect(addresses(found) == ["bob"], "\(found.json)")
        }
    }
}
