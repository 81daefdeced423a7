import CloudMessages
import CloudModel
import Cryptography
import FanfareCloudKit
import Foundation
import JSON
import ProtocolBuffers
import RecordService
import SQLite
import TestSupport
import Testing

/// Another `identifier-key`, while the service runs.
@Suite struct ResealingStory {
    private func save(_ names: [String], _ text: String, in zone: String, of user: StoryUser) async throws {
        let operations: [JSONValue] = names.map { name in
            [
                "operationType": "forceUpdate",
                "record": [
                    "recordName": .string(name), "recordType": "Sealed",
                    "fields": [
                        "secret": ["value": .string("\(text) \(name)"), "isEncrypted": true],
                        "list": ["value": [.string(text), "b"], "type": "ENCRYPTED_STRING_LIST"], "n": ["value": 1],
                    ],
                ],
            ]
        }
        let answer = try await user.client.database(
            .private, "records/modify",
            ["operations": .array(operations), "zoneID": ["zoneName": .string(zone)]])
        #expect(answer["records"]?.array?.allSatisfy { $0["serverErrorCode"] == nil } == true, "\(answer)")
    }

    /// The records as the user reads them: text and change tag.
    private func read(_ names: [String], in zone: String, of user: StoryUser) async throws -> [[String?]] {
        let answer = try await user.client.database(
            .private, "records/lookup",
            [
                "records": .array(names.map { ["recordName": .string($0)] }),
                "zoneID": ["zoneName": .string(zone)],
            ])
        return (answer["records"]?.array ?? []).map {
            [
                $0["fields"]?["secret"]?["value"]?.string, $0["fields"]?["list"]?["value"]?[0]?.string,
                $0["recordChangeTag"]?.string,
            ]
        }
    }

    /// The number of stored records that a ring opens.
    private func opened(by ring: KeyRing, in system: StorySystem) throws -> Int {
        let seals = FieldSeals(ring, scope: system.scope)
        let connection = try SQLiteConnection.open(
            SQLiteConfiguration(path: system.folder.path("data/\(system.scope).sqlite")), mode: .readOnly)
        let records = try connection.query("SELECT body FROM records") { $0.blob(0) }.map {
            try RecordMessage(decoding: $0).record()
        }
        return records.count { record in
            record.type.rawValue == "Sealed" && (try? seals.opened(record)) != nil
        }
    }

    @Test("encrypted fields are readable all the way while the identifier key is rotated, sealed again and removed")
    func rotation() async throws {
        let system = try await StorySystem.start(.embedded)
        let user = try await system.user("alice")
        let names = (0..<150).map { "r\($0)" }
        _ = try await user.client.database(
            .private, "zones/modify",
            ["operations": [["operationType": "create", "zone": ["zoneID": ["zoneName": "z"]]]]])
        let phone = try await user.register("phone")
        try await user.subscribe("s", to: "Sealed", in: .private)
        for zone in ["_defaultZone", "z"] { try await save(names, "first", in: zone, of: user) }
        let before = try await read(names, in: "z", of: user)
        #expect(before[7][0] == "first r7" && before[7][1] == "first")
        let note = try await user.feed(phone, atLeast: 1).notes[0]
        let file = system.folder.path("data/token.keys")
        let old = try KeyRing.load(file: file)
        #expect(try opened(by: old, in: system) == 300)

        let data = ["--data", system.folder.path("data")]
        #expect(try await system.run(["secrets", "rotate", "--identifier-key"] + data).code == 0)
        #expect(try await system.run(["secrets", "list"] + data).output.contains("former identifier keys: 1"))
        // Old and new values open beside each other, and an equal value saved again stays equal.
        try await eventually("a value of the new key") {
            try await save(["probe"], "probe", in: "z", of: user)
            try await save(["probe"], "probe \(UInt32.random(in: 0 ... .max))", in: "z", of: user)
            return try opened(by: old, in: system) == 300
        }
        #expect(try await read(names, in: "z", of: user) == before)
        let marked = try await user.markRead([note.id], on: phone)
        #expect(marked.isEmpty, "an ID of the former key is known: \(marked)")

        // A folder of which a store is not named is refused before anything is done.
        let some = try await system.run(
            ["secrets", "reseal", "--remove-former", "--environments", "production"] + data)
        #expect(some.code == 2 && some.complaints.contains("development"), "\(some)")
        // Two at once, one of them cut off in the middle, and saves meanwhile.
        let cut = system.command(["secrets", "reseal"] + data, name: "cut")
        try cut.start()
        try await save(["r0", "r1"], "second", in: "z", of: user)
        await cut.kill()
        let done = try await system.run(["secrets", "reseal"] + data)
        #expect(done.code == 0 && done.output.contains("every encrypted field"), "\(done)")
        #expect(try opened(by: old, in: system) == 0)
        let after = try await read(names, in: "z", of: user)
        #expect(Array(after.dropFirst(2)) == Array(before.dropFirst(2)), "no tag has changed")
        #expect(after[0][0] == "second r0")
        let again = try await system.run(["secrets", "reseal", "--remove-former"] + data)
        #expect(again.code == 0 && again.output.contains(" 0 sealed again"), "\(again)")
        #expect(try KeyRing.load(file: file).identifierKeys.count == 1)
        for _ in 0..<2 {
            #expect(try await read(names, in: "_defaultZone", of: user)[9][0] == "first r9")
            try await system.stop()
            try await system.restart(with: [:])
        }
        let none = try await system.run(["secrets", "reseal"] + data)
        #expect(none.code == 0 && none.output.contains("has one identifier key"), "\(none)")
        try await system.stop()
    }

    @Test("values that no key opens are counted, and keep the former keys in the ring")
    func unreadable() async throws {
        let system = try await StorySystem.start(.embedded)
        let user = try await system.user("alice")
        try await save(["a", "b"], "first", in: "_defaultZone", of: user)
        try await system.stop()
        let file = system.folder.path("data/token.keys")
        var other = KeyRing.generate()
        other.rotateIdentifierKey()
        try other.save(file: file)
        let data = ["--data", system.folder.path("data")]
        let result = try await system.run(["secrets", "reseal", "--remove-former"] + data)
        #expect(result.code == 3 && result.output.contains("4 values that no key opens"), "\(result)")
        #expect(try KeyRing.load(file: file) == other)
    }
}
