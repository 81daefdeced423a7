import CloudModel
import JSON
import Testing

/// The names that clients give themselves are nobody else's to see or to use (docs/http-api.md).
@Suite struct ClientIDTests {
    private static func stamps(_ record: JSONValue?) -> [String?] {
        ["created", "modified"].map { record?[$0]?["deviceID"]?.string }
    }

    private static func lookUp(_ bench: WebBench, _ name: String, _ user: WebBench.SignedIn?) async throws -> JSONValue?
    {
        try await bench.send(
            "POST", bench.database("records/lookup"), ["records": [["recordName": .string(name)]]], user: user
        ).json["records"]?[0]
    }

    /// A user who learns it could register it as a device, or sign in with it.
    @Test func onlyTheWriterGetsTheDevice() async throws {
        try await WebBench.run { bench in
            var alice = try await bench.signIn("alice")
            let mallory = try await bench.signIn("mallory")
            alice.client = "alices-browser"
            try await bench.save("r", user: alice)
            #expect(Self.stamps(try await Self.lookUp(bench, "r", alice)) == ["alices-browser", "alices-browser"])
            #expect(Self.stamps(try await Self.lookUp(bench, "r", mallory)) == ["2", "2"])
            #expect(Self.stamps(try await Self.lookUp(bench, "r", nil)) == ["2", "2"])
            for user in [mallory, nil] {
                let found = try await bench.send(
                    "POST", bench.database("records/query"), ["query": ["recordType": "T"]], user: user)
                #expect(Self.stamps(found.json["records"]?[0]) == ["2", "2"], "\(found.json)")
                #expect(!String(decoding: found.body, as: UTF8.self).contains("alices-browser"))
            }
            alice.client = nil
            try await bench.save("unnamed", user: alice)
            #expect(Self.stamps(try await Self.lookUp(bench, "unnamed", alice)) == ["2", "2"])
        }
    }

    /// An answer does not distinguish a device of another user from an unknown name.
    @Test func foreignAndUnknownDevicesGiveTheSameError() async throws {
        try await WebBench.run { bench in
            let alice = try await bench.signIn("alice")
            var mallory = try await bench.signIn("mallory")
            try await bench.register("alices-phone", alice)
            for client in ["alices-phone", "nobodys"] {
                mallory.client = client
                try await bench.save("of-\(client)", user: mallory)
                #expect(Self.stamps(try await Self.lookUp(bench, "of-\(client)", mallory)) == [client, client])
            }
        }
    }

    /// A change under the name of another user's device is another user's change: the device hears of it.
    @Test func nobodySilencesADeviceByItsName() async throws {
        try await WebBench.run { bench in
            let alice = try await bench.signIn("alice")
            var mallory = try await bench.signIn("mallory")
            try await bench.register("phone", alice)
            try await bench.subscribe(alice)
            mallory.client = "phone"
            try await bench.save("r", user: mallory)
            let heard = try await bench.changes("phone", alice, ["waitSeconds": 20])
            #expect(heard.json["notifications"]?[0]?["recordName"] == "r", "\(heard.json)")
        }
    }

    /// In a shared zone, too, each knows their own devices only.
    @Test func participantsDoNotSeeEachOthersDevices() async throws {
        try await WebBench.run { bench in
            var alice = try await bench.signIn("alice")
            var bob = try await bench.signIn("bob")
            (alice.client, bob.client) = ("alices", "bobs")
            let zone: JSONValue = ["zoneName": "z"]
            _ = try await bench.send(
                "POST", bench.database("zones/modify", "private"),
                ["operations": [["operationType": "create", "zone": ["zoneID": zone]]]], user: alice)
            let made = try await bench.send(
                "POST", bench.database("records/modify", "private"),
                [
                    "zoneID": zone,
                    "operations": [
                        [
                            "operationType": "create",
                            "record": ["recordName": "r", "recordType": "T", "fields": [:]],
                        ],
                        [
                            "operationType": "create",
                            "record": [
                                "recordName": "cloudkit.zoneshare", "recordType": "cloudkit.share",
                                "publicPermission": "READ_WRITE",
                            ],
                        ],
                    ],
                ], user: alice)
            let guid = try #require(made.json["records"]?[1]?["shortGUID"]?.string, "\(made.json)")
            _ = try await bench.send(
                "POST", bench.database("records/accept"), ["shortGUIDs": [["value": .string(guid)]]], user: bob)
            let shared: JSONValue = ["zoneName": "z", "ownerRecordName": .string(alice.name)]
            let seen = try await bench.send(
                "POST", bench.database("changes/zone", "shared"), ["zones": [["zoneID": shared]]], user: bob)
            let records = seen.json["zones"]?[0]?["records"]?.array ?? []
            #expect(records.count == 2, "\(seen.json)")
            #expect(!String(decoding: seen.body, as: UTF8.self).contains("alices"))
            let tag = records.first { $0["recordName"] == "r" }?["recordChangeTag"] ?? .null
            _ = try await bench.send(
                "POST", bench.database("records/modify", "shared"),
                [
                    "zoneID": shared,
                    "operations": [
                        [
                            "operationType": "update",
                            "record": [
                                "recordName": "r", "recordType": "T", "recordChangeTag": tag,
                                "fields": ["n": ["value": 2]],
                            ],
                        ]
                    ],
                ], user: bob)
            let own = try await bench.send(
                "POST", bench.database("changes/zone", "private"), ["zones": [["zoneID": zone]]], user: alice)
            let record = own.json["zones"]?[0]?["records"]?.array?.first { $0["recordName"] == "r" }
            #expect(Self.stamps(record) == ["alices", "2"], "\(own.json)")
        }
    }
}
