import CloudModel
import Identity
import JSON
import TestSupport
import Testing

/// Names of people in shares: the owner's, those of participants who accepted, and of people who said that they may be
/// found.
@Suite struct NamesOfPeopleTests {
    /// A zone of Mallory's, whose share names people by what a request says of them.
    private struct Inviting {
        var bench: WebBench
        var mallory: WebBench.SignedIn
        var zone: JSONValue = ["zoneName": "z"]

        init(_ bench: WebBench) async throws {
            self.bench = bench
            mallory = try await bench.signIn("Mallory")
            let made = try await bench.send(
                "POST", bench.database("zones/modify", "private"),
                ["operations": [["operationType": "create", "zone": ["zoneID": zone]]]], user: mallory)
            #expect(made.status == 200)
        }

        /// Saves the share; the answer.
        func invite(_ people: [JSONValue], open: String = "NONE") async throws -> JSONValue {
            let record: JSONValue = [
                "recordName": "cloudkit.zoneshare", "recordType": "cloudkit.share",
                "publicPermission": .string(open), "participants": .array(people),
            ]
            let answer = try await bench.send(
                "POST", bench.database("records/modify", "private"),
                ["zoneID": zone, "operations": [["operationType": "forceUpdate", "record": record]]], user: mallory)
            let share = try #require(answer.json["records"]?[0])
            #expect(share["shortGUID"] != nil, "\(answer.json)")
            return share
        }

        /// The share as a user reads it, in each way that the user has.
        func readings(_ user: WebBench.SignedIn, _ guid: JSONValue) async throws -> [JSONValue] {
            let isOwner = user.name == mallory.name
            let database = isOwner ? "private" : "shared"
            var zone: JSONObject = ["zoneName": "z"]
            if !isOwner { zone["ownerRecordName"] = .string(mallory.name) }
            let id = JSONValue.object(zone)
            let resolved = try await bench.send(
                "POST", bench.database("records/resolve"), ["shortGUIDs": [["value": guid]]], user: user)
            let found = try await bench.send(
                "POST", bench.database("records/lookup", database),
                ["zoneID": id, "records": [["recordName": "cloudkit.zoneshare"]]], user: user)
            let changes = try await bench.send(
                "POST", bench.database("changes/zone", database), ["zones": [["zoneID": id]]], user: user)
            let older = try await bench.send(
                "POST", bench.database("records/changes", database), ["zoneID": id], user: user)
            let inFeed = changes.json["zones"]?[0]?["records"]?.array ?? []
            return [resolved.json["results"]?[0]?["share"], found.json["records"]?[0], inFeed.first].compactMap(\.self)
                .filter { $0["participants"] != nil } + (older.json["records"]?.array ?? [])
        }
    }

    private static func byName(_ user: WebBench.SignedIn) -> JSONValue {
        ["userIdentity": ["userRecordName": .string(user.name)], "permission": "READ_WRITE"]
    }

    private static func byAddress(_ address: String) -> JSONValue {
        ["userIdentity": ["lookupInfo": ["emailAddress": .string(address)]], "permission": "READ_WRITE"]
    }

    /// The first names that a share shows, by participant; the owner is the first.
    private static func names(_ share: JSONValue) -> [String?] {
        share["participants"]?.array?.map { $0["userIdentity"]?["nameComponents"]?["givenName"]?.string } ?? []
    }

    private func accept(_ bench: WebBench, _ guid: JSONValue, _ user: WebBench.SignedIn) async throws {
        let answer = try await bench.send(
            "POST", bench.database("records/accept"), ["shortGUIDs": [["value": guid]]], user: user)
        #expect(answer.json["results"]?[0]?["serverErrorCode"] == nil, "\(answer.json)")
    }

    @Test("an invitation names nobody who has neither accepted nor said that they may be found")
    func invitations() async throws {
        try await WebBench.run { bench in
            let carol = try await bench.signIn("Carol")
            let dave = try await bench.signIn("dave@example.com")
            let inviting = try await Inviting(bench)
            let nobody = WebBench.SignedIn(token: "", name: "_00000000000000000000000000000000")
            let people = [Self.byName(carol), Self.byAddress("dave@example.com"), Self.byName(nobody)]
            let share = try await inviting.invite(people)
            #expect(Self.names(share) == ["Mallory", nil, nil, nil], "\(share)")
            let guid = try #require(share["shortGUID"])
            for reading in try await inviting.readings(inviting.mallory, guid) {
                #expect(Self.names(reading) == ["Mallory", nil, nil, nil], "\(reading)")
            }
            // A user who exists and one who does not differ in the name alone.
            let entries = try #require(share["participants"]?.array)
            #expect(entries[1].object?.map(\.key) == entries[3].object?.map(\.key))
            #expect(
                entries[1]["userIdentity"]?.object?.map(\.key) == entries[3]["userIdentity"]?.object?.map(\.key))
            // The invited user knows the inviter, and the own name.
            let seen = try await bench.send(
                "POST", bench.database("records/resolve"), ["shortGUIDs": [["value": guid]]], user: carol)
            let resolved = try #require(seen.json["results"]?[0])
            #expect(resolved["ownerIdentity"]?["nameComponents"]?["givenName"] == "Mallory")
            #expect(Self.names(try #require(resolved["share"])) == ["Mallory", "Carol", nil, nil], "\(resolved)")
            _ = dave
        }
    }

    @Test("participants who accepted know each other's names, and others know none of them")
    func acceptance() async throws {
        try await WebBench.run { bench in
            let (carol, dave) = (try await bench.signIn("Carol"), try await bench.signIn("Dave"))
            let erin = try await bench.signIn("Erin")
            let stranger = try await bench.signIn("Stranger")
            let inviting = try await Inviting(bench)
            let share = try await inviting.invite([carol, dave, erin].map(Self.byName), open: "READ_ONLY")
            let guid = try #require(share["shortGUID"])
            try await accept(bench, guid, carol)
            try await accept(bench, guid, dave)
            for user in [inviting.mallory, carol] {
                let readings = try await inviting.readings(user, guid)
                #expect(readings.count == 4)
                for reading in readings {
                    #expect(Self.names(reading) == ["Mallory", "Carol", "Dave", nil], "\(reading)")
                }
            }
            func resolved(_ user: WebBench.SignedIn) async throws -> [String?] {
                let answer = try await bench.send(
                    "POST", bench.database("records/resolve"), ["shortGUIDs": [["value": guid]]], user: user)
                return Self.names(try #require(answer.json["results"]?[0]?["share"]))
            }
            #expect(try await resolved(erin) == ["Mallory", nil, nil, "Erin"])
            #expect(try await resolved(stranger) == ["Mallory", nil, nil, nil])
            // A participant who is taken out and invited again has not accepted.
            _ = try await inviting.invite([carol].map(Self.byName), open: "READ_ONLY")
            let again = try await inviting.invite([carol, dave].map(Self.byName), open: "READ_ONLY")
            #expect(Self.names(again) == ["Mallory", "Carol", nil])
        }
    }

    @Test("users who may be found are named, until they say otherwise or are blocked")
    func discoverable() async throws {
        try await WebBench.run { bench in
            let carol = try await bench.signIn("Carol")
            let inviting = try await Inviting(bench)
            func say(_ isDiscoverable: Bool) async throws {
                let answer = try await bench.send(
                    "POST", bench.database("users/discoverable"), ["isDiscoverable": .bool(isDiscoverable)],
                    user: carol)
                #expect(answer.status == 200)
            }
            func names() async throws -> [String?] { Self.names(try await inviting.invite([Self.byName(carol)])) }
            #expect(try await names() == ["Mallory", nil])
            try await say(true)
            #expect(try await names() == ["Mallory", "Carol"])
            try await say(false)
            #expect(try await names() == ["Mallory", nil])
            try await say(true)
            try await bench.system.identity.setBlocked(true, UserRecordName(carol.name))
            #expect(try await names() == ["Mallory", nil])
        }
    }

    @Test("a record that calls itself a share names nobody")
    func forged() async throws {
        try await WebBench.run { bench in
            let carol = try await bench.signIn("Carol")
            let inviting = try await Inviting(bench)
            // That somebody accepted is never said from outside.
            var entry = try #require(Self.byName(carol).object)
            entry["acceptanceStatus"] = "ACCEPTED"
            #expect(Self.names(try await inviting.invite([.object(entry)])) == ["Mallory", nil])
            var administrator = entry
            administrator["type"] = "ADMINISTRATOR"
            #expect(Self.names(try await inviting.invite([.object(administrator)])) == ["Mallory", nil])
        }
    }
}
