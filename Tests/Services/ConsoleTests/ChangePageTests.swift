import CloudMessages
import CloudModel
import HTTPClient
import JSON
import TestSupport
import Testing

@testable import Console

/// The changes as operators read them.
@Suite struct ChangePageTests {
    /// Saves records of alice's, one a request.
    private static func save(_ names: [String], in database: String = "public", _ bench: ConsoleBench) async throws {
        let (scope, query) = (bench.scopePath, "?ckAPIToken=\(bench.apiToken)")
        let signIn = try await bench.send("POST", "/auth/1/\(scope)/signin\(query)", ["user": "alice"])
        let user = [("Authorization", "Bearer \(try #require(signIn.json["ckWebAuthToken"]?.string))")]
        for (index, name) in names.enumerated() {
            let record: JSONValue = [
                "recordName": .string(name), "recordType": "T",
                "fields": [
                    "long": ["value": .string(String(repeating: "x", count: 5000))],
                    "n": ["value": .integer(Int64(index + 6))],
                ],
            ]
            let saved = try await bench.send(
                "POST", "/database/1/\(scope)/\(database)/records/modify\(query)",
                ["operations": [["operationType": "forceUpdate", "record": record]]], headers: user)
            #expect(saved.json["records"]?[0]?["serverErrorCode"] == nil, "\(saved.text)")
        }
    }

    /// The changes on the log, once there are so many.
    private static func changes(_ count: Int, _ bench: ConsoleBench) async throws -> [JSONValue] {
        @Sendable func read() async throws -> [JSONValue] {
            let page = try await bench.ask("changes/read", ["database": "public", "limit": 1000])
            return page.json["changes"]?.array?.filter { $0["recordType"] == "T" } ?? []
        }
        try await eventually("the changes") { try await read().count >= count }
        return try await read()
    }

    @Test("changes are read with the record before and after, long values left out with their size")
    func rows() async throws {
        try await ConsoleBench.run { bench in
            try await Self.save(["a", "a"], bench)
            let changes = try await Self.changes(2, bench)
            #expect(changes.map { $0["kind"] } == ["create", "update"])
            #expect(changes[0]["before"] == nil && changes[1]["before"]?["recordName"] == "a")
            let after = changes[1]["after"]?["fields"]
            #expect(after?["n"]?["value"] == "7", "numbers are texts")
            #expect(after?["long"] == nil)
            #expect(changes[1]["leftOut"]?["after"]?["long"]?["bytes"]?.integer ?? 0 > 5000)
        }
    }

    @Test("pages from an offset and from a time meet without gap or repetition")
    func pages() async throws {
        try await ConsoleBench.run { bench in
            try await Self.save((0..<7).map { "r\($0)" }, bench)
            let all = try await Self.changes(7, bench)
            let key = { (row: JSONValue) in "\(row["partition"]?.integer ?? -1)@\(row["offset"]?.integer ?? -1)" }
            var (from, read): ([JSONValue], [String]) = (
                [["partition": 0, "offset": 0], ["partition": 1, "offset": 0]], []
            )
            for _ in 0..<20 {
                let page = try await bench.ask(
                    "changes/read", ["database": "public", "limit": 2, "from": .array(from)])
                read += page.json["changes"]?.array?.map(key) ?? []
                let places = page.json["partitions"]?.array ?? []
                from = places.map { ["partition": $0["partition"] ?? .null, "offset": $0["next"] ?? .null] }
                if places.allSatisfy({ $0["next"] == $0["end"] }) { break }
            }
            #expect(Set(read).count == read.count)
            #expect(Set(read).isSuperset(of: all.map(key)))
            let last = try #require(all.last)
            let time = try #require(last["time"])
            let late = try await bench.ask("changes/read", ["database": "public", "limit": 1000, "time": time])
            let times = late.json["changes"]?.array?.compactMap { $0["time"]?.integer } ?? []
            #expect(times.allSatisfy { $0 >= time.integer ?? 0 } && late.json["changes"]?.array?.contains(last) == true)
            let none = try await bench.ask(
                "changes/read", ["database": "public", "time": .integer((time.integer ?? 0) + 3_600_000)])
            #expect(none.json["changes"] == [])
            let partition = try await bench.ask("changes/read", ["database": "public", "partition": 9])
            #expect(partition.code == "BAD_REQUEST")
        }
    }

    @Test("where an operator may not read them, values of fields are left out, and nothing else is")
    func hidden() async throws {
        try await ConsoleBench.run { bench in
            try await Self.save(["a"], bench)
            let shown = try #require(try await Self.changes(1, bench).first)
            let page = ChangePage(bench.system.log, bench.system.layout, .public)
            let rows = try await page.read(from: .latest, partition: nil, limit: 1000).rows
            let hidden = rows.map { ChangeRowJSON(hidesValues: true).row($0) }.first { $0["recordName"] == "a" }
            #expect(hidden?["after"]?["fields"] == [:])
            #expect(Set(hidden?["leftOut"]?["after"]?.object?.map(\.key) ?? []) == ["long", "n"])
            #expect(hidden?["sequence"] == shown["sequence"] && hidden?["time"] == shown["time"])
        }
    }
}
