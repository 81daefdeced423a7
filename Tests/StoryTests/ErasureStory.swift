import CloudModel
import FanfareCloudKit
import Foundation
import HTTPClient
import JSON
import TestSupport
import Testing

/// `users delete` removes bytes, not rows alone.
@Suite struct ErasureStory {
    /// Words that only the user's data has. Sixty letters are no part of anything else in the files.
    private static func word(_ name: String) -> String {
        name + String((0..<48).map { _ in "abcdefghijklmnopqrstuvwxyz".randomElement()! })
    }

    /// The files of a system's data folder that have one of the words in them, except the log and the matcher's copy of
    /// its topic.
    private func files(of system: StorySystem, with words: [String]) throws -> [String] {
        let root = system.folder.url.appendingPathComponent("data")
        var found: [String] = []
        for case let url as URL in try #require(
            FileManager.default.enumerator(at: root, includingPropertiesForKeys: nil))
        {
            guard !url.lastPathComponent.hasPrefix("log.sqlite"), !url.path.contains("/table-snapshots/"),
                let data = try? Data(contentsOf: url)
            else {
                continue
            }
            for word in words where data.range(of: Data(word.utf8)) != nil {
                found.append("\(url.lastPathComponent): \(word.prefix(8))")
            }
        }
        return found
    }

    private func upload(_ text: String, of user: StoryUser, in system: StorySystem) async throws -> JSONValue {
        let made = try await user.client.database(
            .private, "assets/upload", ["tokens": [["recordType": "Erased", "fieldName": "file"]]])
        let url = try #require(made["tokens"]?[0]?["url"]?.string)
        let answer = try await system.http.send(HTTPClientRequest("POST", url, body: .bytes(Array(text.utf8))))
        return try #require(try JSONValue(parsing: answer.body)["singleFile"])
    }

    /// Saves everything that a user can leave behind, with the words in it.
    private func fill(_ words: [String: String], _ user: StoryUser, _ system: StorySystem) async throws {
        let client = user.client
        _ = try await user.register(words["device"]!)
        try await user.subscribe(
            "s", to: "Erased",
            filters: [
                [
                    "comparator": "EQUALS", "fieldName": "title",
                    "fieldValue": ["value": .string(words["subscription"]!), "type": "STRING"],
                ]
            ], in: .private)
        _ = try await client.database(
            .private, "zones/modify",
            ["operations": [["operationType": "create", "zone": ["zoneID": ["zoneName": .string(words["zone"]!)]]]]])
        let kept = try await upload(words["file"]!, of: user, in: system)
        _ = try await upload(words["loose"]!, of: user, in: system)
        for zone in ["_defaultZone", words["zone"]!] {
            // Many, so that pages of indexes and words split; some are replaced and some deleted before.
            for part in 0..<4 {
                let operations: [JSONValue] = (0..<100).map { number in
                    var fields: JSONValue = [
                        "title": ["value": .string("\(words["title"]!) \(part) \(number)")],
                        "body": ["value": .string(String(repeating: words["body"]! + " ", count: 20))],
                    ]
                    if number == 0, part == 0, zone == "_defaultZone" { fields = ["file": ["value": kept]] }
                    return [
                        "operationType": "forceUpdate",
                        "record": [
                            "recordName": .string("\(words["name"]!)-\(part)-\(number)"), "recordType": "Erased",
                            "fields": fields,
                        ],
                    ]
                }
                for _ in 0..<2 {
                    let answer = try await client.database(
                        .private, "records/modify",
                        ["operations": .array(operations), "zoneID": ["zoneName": .string(zone)]])
                    #expect(answer["records"]?[99]?["serverErrorCode"] == nil, "\(answer)")
                }
            }
        }
    }

    private static func words() -> [String: String] {
        Dictionary(
            uniqueKeysWithValues: [
                "device", "subscription", "zone", "file", "loose", "title", "body", "name",
            ].map { ($0, $0 == "device" ? String(word($0).prefix(40)) : word($0)) })
    }

    @Test("after users delete no file of the store has a text of the user's, while the service runs")
    func running() async throws {
        let system = try await StorySystem.start(.embedded)
        let bystander = try await system.user("bystander")
        let theirs = Self.word("theirs")
        try await bystander.save([("kept", ["title": .string(theirs)])], type: "Erased", in: .private)
        let name = Self.word("user")
        let user = try await system.user(named: name)
        let words = Self.words()
        try await fill(words, user, system)
        let all = Array(words.values) + [name]
        #expect(Set(try files(of: system, with: all).map { $0.split(separator: " ")[1] }).count >= 7, "they are there")
        let removed = try await system.run(["users", "delete", name] + system.storeFlags)
        #expect(removed.code == 0, "\(removed)")
        #expect(removed.output.contains("records 400") && removed.output.contains("files 2"), "\(removed.output)")
        #expect(removed.output.contains("what remains") && removed.output.contains("30 days"), "\(removed.output)")
        #expect(!removed.output.contains("write-ahead") && !removed.output.contains("wait in the store"))
        // The view of journals follows the log.
        #expect(try files(of: system, with: all).filter { !$0.contains(".journals.sqlite") } == [])
        try await eventually("the view") { try files(of: system, with: all) == [] }
        #expect(try files(of: system, with: [theirs]) != [])
        try await system.stop()
    }

    @Test("without a running service, users delete says that changes wait for the log, and removes all else")
    func stopped() async throws {
        let system = try await StorySystem.start(.embedded)
        let name = Self.word("user")
        let user = try await system.user(named: name)
        let words = Self.words()
        try await fill(words, user, system)
        try await system.stop()
        let removed = try await system.run(["users", "delete", name, "--json"] + system.storeFlags)
        let json = try JSONValue(parsing: Array(removed.output.utf8))
        #expect(json["isPublished"] == false && json["isErased"] == true, "\(json)")
        #expect(json["remains"]?.array?.contains { $0.string?.contains("wait in the store") == true } == true)
        // Files, and texts that no change carries, are gone at once.
        #expect(try files(of: system, with: [words["file"]!, words["loose"]!, name, words["subscription"]!]) == [])
    }
}
