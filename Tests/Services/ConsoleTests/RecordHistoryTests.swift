import CloudMessages
import CloudModel
import EventLog
import JSON
import MemoryLog
import RecordService
import TestSupport
import Testing

@testable import Console

/// The kept changes of one record.
@Suite struct RecordHistoryTests {
    @Test("each kept change of the record is answered, the latest first, in pages that meet")
    func pages() async throws {
        try await ConsoleBench.run { bench in
            let world = try await TracedWorld(bench)
            for number in 0..<7 {
                try await world.save("a", Int64(number), world.bob)
                // Others of the same partition, with names that begin alike.
                for other in ["a2", "b", "aa"] { try await world.save(other, Int64(number), world.bob) }
            }
            try await eventually("the changes") {
                let all = try await bench.ask("records/history", ["database": "public", "recordName": "a"])
                return all.json["changes"]?.array?.count == 7
            }
            let all = try await bench.ask("records/history", ["database": "public", "recordName": "a"])
            let rows = try #require(all.json["changes"]?.array)
            #expect(rows.allSatisfy { $0["recordName"] == "a" } && all.json["next"] == nil)
            #expect(rows.map { $0["after"]?["fields"]?["n"]?["value"] } == (0..<7).reversed().map { .string("\($0)") })
            #expect(
                rows.dropLast().map { $0["before"]?["fields"]?["n"]?["value"] }
                    == (0..<6).reversed().map { .string("\($0)") })
            var (met, before): ([JSONValue], JSONValue?) = ([], nil)
            repeat {
                var body: JSONObject = ["database": "public", "recordName": "a", "limit": 2]
                body["before"] = before
                let page = try await bench.ask("records/history", .object(body))
                met += page.json["changes"]?.array ?? []
                before = page.json["next"]
            } while before != nil
            #expect(met == rows)
            let deleted = try await bench.ask(
                "records/history", ["database": "public", "recordName": "a", "before": 0])
            #expect(deleted.json["changes"] == [] && deleted.json["next"] == nil)
        }
    }

    @Test("a record of a user's own zone is found by its owner, and another user's of the same name is not")
    func owners() async throws {
        try await ConsoleBench.run { bench in
            let world = try await TracedWorld(bench)
            for (number, user) in [(1, world.alice), (2, world.bob)] {
                try await world.save("same", Int64(number), user, in: .private)
            }
            for (number, name) in [(1, "alice"), (2, "bob")] {
                let body: JSONValue = ["database": "private", "recordName": "same", "user": .string(name)]
                try await eventually("the change") {
                    try await bench.ask("records/history", body).json["changes"]?.array?.isEmpty == false
                }
                let found = try await bench.ask("records/history", body)
                #expect(found.json["changes"]?.array?.count == 1)
                #expect(found.json["changes"]?[0]?["after"]?["fields"]?["n"]?["value"] == .string("\(number)"))
                let owner = try #require(number == 1 ? world.alice.user : world.bob.user)
                let zone: JSONValue = [
                    "zoneName": "_defaultZone", "ownerRecordName": .string(owner.rawValue),
                ]
                let same = try await bench.ask(
                    "records/history", ["database": "private", "recordName": "same", "zoneID": zone])
                #expect(same.json == found.json)
                let other = try await bench.ask(
                    "records/history",
                    [
                        "database": "private", "recordName": "same", "user": .string(name),
                        "zoneID": ["zoneName": "elsewhere"],
                    ])
                #expect(other.json["changes"] == [])
            }
        }
    }

    @Test("long values are cut at valueBytesMax and marked, here and in changes/read")
    func cut() async throws {
        try await ConsoleBench.run { bench in
            let world = try await TracedWorld(bench)
            let long = String(repeating: "é", count: 20_000)
            try await world.save("a", 1, world.bob, texts: ["long": long])
            let body: JSONObject = ["database": "public", "recordName": "a"]
            try await eventually("the change") {
                try await bench.ask("records/history", .object(body)).json["changes"]?.array?.isEmpty == false
            }
            for (bytes, kept) in [(nil, 4096), (11, 10), (1, 0), (100_000, 40_000)] as [(Int64?, Int)] {
                var asked = body
                if let bytes { asked["valueBytesMax"] = .integer(bytes) }
                let answer = try await bench.ask("records/history", .object(asked))
                let field = answer.json["changes"]?[0]?["after"]?["fields"]?["long"]
                #expect(field?["value"]?.string?.utf8.count == kept, "\(bytes ?? 0)")
                #expect(field?["cut"]?["bytes"] == (kept == 40_000 ? nil : 40_000))
                guard bytes != nil else { continue }
                asked["recordName"] = nil
                asked["limit"] = 1000
                let page = try await bench.ask("changes/read", .object(asked))
                let row = page.json["changes"]?.array?.first { $0["recordName"] == "a" }
                #expect(row?["after"]?["fields"]?["long"] == field)
            }
        }
    }

    @Test("in production the values of private databases are left out")
    func hidden() async throws {
        try await ConsoleBench.run(in: .production) { bench in
            let world = try await TracedWorld(bench)
            try await world.save("a", 123_456, world.alice, in: .private)
            let user = JSONValue.string(try #require(world.alice.user).rawValue)
            let body: JSONValue = ["database": "private", "recordName": "a", "user": user, "valueBytesMax": 1000]
            try await eventually("the change") {
                try await bench.ask("records/history", body).json["changes"]?.array?.isEmpty == false
            }
            let answer = try await bench.ask("records/history", body)
            #expect(answer.json["valuesLeftOut"] == true && !answer.text.contains("123456"), "\(answer.text)")
            #expect(answer.json["changes"]?[0]?["leftOut"]?["after"]?["n"]?["bytes"] != nil)
        }
    }

    @Test("a page ends at its share of a long partition, and the next ones come to the record's first change")
    func budget() async throws {
        try await ConsoleBench.run { bench in
            let world = try await TracedWorld(bench)
            try await world.save("a", 1, world.bob)
            let body: JSONObject = ["database": "public", "recordName": "a"]
            try await eventually("the change") {
                try await bench.ask("records/history", .object(body)).json["changes"]?.array?.isEmpty == false
            }
            let layout = bench.system.layout
            let name = RecordName(trusted: "a")
            let key = layout.changeKey(.public, name, in: .publicDefault)
            let partition = TopicPartition(layout.changes(.public), layout.partition(of: key))
            var own: LogEntry?
            try await bench.memory.readToEnd(of: partition) { if $0.key == key { own = $0 } }
            // As much behind it, of other records, as three pages read.
            let long = MemoryLog()
            _ = try await long.createTopics(layout.fixedTopics)
            let time = LogTimestamp(milliseconds: 1)
            var entries = [OutgoingEntry(partition, key: key, value: try #require(own?.value), timestamp: time)]
            let filler = [UInt8](repeating: 0, count: 1 << 20)
            for _ in 0..<3 * (Limits.historyBytesMax >> 20) {
                entries.append(OutgoingEntry(partition, key: Array("other".utf8), value: filler, timestamp: time))
            }
            let written = entries
            try await long.withWriter { try await $0.append(written) }
            let history = RecordHistory(long, layout, .public, .publicDefault, name)
            var (pages, before, found) = (0, Int64?.none, [ChangePage.Row]())
            repeat {
                let page = try await history.read(before: before, limit: 10)
                found += page.rows
                before = page.next
                pages += 1
            } while before != nil
            #expect(found.map(\.entry.offset) == [0])
            #expect((3...5).contains(pages), "\(pages)")
        }
    }

    @Test("wrong databases, names and owners are refused with a short reason")
    func hostile() async throws {
        try await ConsoleBench.run { bench in
            _ = try await TracedWorld(bench)
            let long = JSONValue.string(String(repeating: "x", count: 1_000_000))
            for (body, code) in [
                ([:], "BAD_REQUEST"), (["database": "x", "recordName": "a"], "BAD_REQUEST"),
                (["database": "public"], "BAD_REQUEST"), (["database": "public", "recordName": long], "BAD_REQUEST"),
                (["database": "public", "recordName": "a\u{0}"], "BAD_REQUEST"),
                (["database": "private", "recordName": "a"], "BAD_REQUEST"),
                (["database": "private", "recordName": "a", "user": "nobody"], "NOT_FOUND"),
                (["database": "public", "recordName": "a", "zoneID": ["zoneName": long]], "BAD_REQUEST"),
                (["database": "public", "recordName": "a", "valueBytesMax": 0], "BAD_REQUEST"),
                (["database": "public", "recordName": "a", "valueBytesMax": 1_048_577], "BAD_REQUEST"),
                (["database": "public", "recordName": "a", "limit": 0], "BAD_REQUEST"),
                (["database": "public", "recordName": "a", "before": "x"], "BAD_REQUEST"),
            ] as [(JSONValue, String)] {
                let answer = try await bench.ask("records/history", body)
                #expect(answer.code == code && answer.body.count < 2000, "\(answer.text.prefix(300))")
            }
            for before in [Int64.min, -1, 0, Int64.max] {
                let answer = try await bench.ask(
                    "records/history", ["database": "public", "recordName": "none", "before": .integer(before)])
                #expect(answer.json["changes"] == [], "\(before): \(answer.text)")
            }
        }
    }
}
