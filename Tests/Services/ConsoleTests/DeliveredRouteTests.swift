import CloudMessages
import CloudModel
import EventLog
import Feeds
import JSON
import MemoryLog
import RecordService
import RecordStore
import TestSupport
import Testing

@testable import Console

/// Journals by offset, as operators read them.
@Suite struct DeliveredRouteTests {
    /// A world in which a device has some notifications: the last device registers in the middle.
    private static func live(_ bench: ConsoleBench, saves: Int = 6) async throws -> (TracedWorld, [Device]) {
        let world = try await TracedWorld(bench)
        var devices = [try await world.register("phone", world.alice)]
        try await world.subscribe("all", world.alice)
        for number in 0..<saves {
            if number == saves / 2 {
                try await notified(bench, devices[0], number)
                devices.append(try await world.register("late", world.alice))
            }
            try await world.save("r\(number)", Int64(number), world.bob)
        }
        for device in devices { try await notified(bench, device, saves) }
        return (world, devices)
    }

    private static func notified(_ bench: ConsoleBench, _ device: Device, _ count: Int) async throws {
        try await eventually("\(count) notifications on \(device.id)") {
            try await notifications(bench, device, after: nil).count >= count
        }
    }

    /// The records of the notifications that a device gets after a token.
    private static func notifications(
        _ bench: ConsoleBench, _ device: Device, after token: String?
    ) async throws -> [String] {
        let feeds = FeedService(FeedSources(bench.system.log, layout: bench.system.layout), keys: bench.keys)
        do {
            let page = try await feeds.changes(
                in: feeds.identity(of: device), after: token, limit: 1000, waiting: .zero)
            return page.notifications.map {
                if case .query(let content) = $0.content { content.recordName.rawValue } else { "" }
            }
        } catch let error as CloudError where error.code == .tryAgainLater {
            return []
        }
    }

    @Test("with the token of any entry a device gets exactly the notifications behind it")
    func tokens() async throws {
        try await ConsoleBench.run { bench in
            let (_, devices) = try await Self.live(bench)
            for device in devices {
                let all = try await Self.notifications(bench, device, after: nil)
                #expect(all.sorted() == (0..<6).map { "r\($0)" })
                let id = JSONValue.string(device.id.rawValue)
                for (route, body) in [
                    ("feeds/read", ["deviceID": id, "offset": 0]),
                    ("journals/read", ["user": "alice", "deviceID": id, "offset": 0]),
                ] as [(String, JSONValue)] {
                    var seen: [String] = []
                    for entry in try await bench.ask(route, body).json["entries"]?.array ?? [] {
                        if let record = entry["notification"]?["recordName"]?.string { seen.append(record) }
                        let token = try #require(entry["token"]?.string, "\(entry)")
                        let rest = try await Self.notifications(bench, device, after: token)
                        #expect(seen + rest == all, "\(route), \(device.id), \(entry)")
                    }
                    #expect(seen == all, "\(route)")
                }
            }
        }
    }

    @Test("entries are those of the topic, in pages that meet, and reading moves no token")
    func pages() async throws {
        try await ConsoleBench.run { bench in
            let (world, devices) = try await Self.live(bench)
            let alice = try #require(world.alice.user)
            let stored = StoredDevice(
                device: devices[0], lastSeen: Timestamp(milliseconds: 5),
                token: FeedService(FeedSources(bench.system.log, layout: bench.system.layout), keys: bench.keys)
                    .tokenAfterRegistration(
                        of: FeedIdentity(
                            scope: bench.system.layout.scope, user: alice, device: devices[0].id,
                            epoch: devices[0].epoch)))
            try await bench.system.service.store.write { try $0.save(stored) }
            let body: JSONObject = ["deviceID": "phone", "limit": 2]
            var (offset, kinds): (Int64, [String]) = (0, [])
            while true {
                var page = body
                page["offset"] = .integer(offset)
                let answer = try await bench.ask("feeds/read", .object(page))
                #expect(answer.json["place"]?["part"] == "journal" && answer.json["place"]?["offset"] == 1)
                let partition = Int64(bench.system.layout.journals(of: alice).partition)
                #expect(answer.json["topic"] == "journals" && answer.json["partition"] == .integer(partition))
                kinds += answer.json["entries"]?.array?.compactMap { $0["kind"]?.string } ?? []
                let next = try #require(answer.json["next"]?.integer)
                if next == answer.json["end"]?.integer { break }
                #expect(next == offset + 2)
                offset = next
            }
            let half = ["registered"] + Array(repeating: "notification", count: 3)
            #expect(kinds == half + half)
            let latest = try await bench.ask("feeds/read", ["deviceID": "phone", "limit": 2])
            #expect(latest.json["entries"]?.array?.map { $0["offset"] } == [6, 7])
            let time = try #require(latest.json["entries"]?[0]?["time"])
            let since = try await bench.ask("feeds/read", ["deviceID": "phone", "time": time])
            #expect(since.json["entries"]?.array?.contains { $0["offset"] == 6 } == true)
            for (far, count) in [(Int64.max, 0), (Int64.min, 8), (-1, 8), (8, 0)] {
                let answer = try await bench.ask("feeds/read", ["deviceID": "phone", "offset": .integer(far)])
                #expect(answer.json["entries"]?.array?.count == count, "\(far)")
            }
            #expect(try await bench.system.service.store.read { try $0.device(devices[0].id) } == stored)
        }
    }

    @Test("what retention removed is left out, and the bounds say so")
    func trimmed() async throws {
        try await ConsoleBench.run { bench in
            let (world, _) = try await Self.live(bench)
            let journal = bench.system.layout.journals(of: try #require(world.alice.user))
            try await bench.memory.truncate([journal: 4])
            let answer = try await bench.ask("feeds/read", ["deviceID": "phone", "offset": 0])
            #expect(answer.json["start"] == 4 && answer.json["entries"]?.array?.first?["offset"] == 4)
            let end = try #require(try await bench.memory.bounds(of: [journal])[journal]?.end)
            try await bench.memory.truncate([journal: end])
            let empty = try await bench.ask("journals/read", ["user": "alice"])
            #expect(empty.json["entries"] == [] && empty.json["start"] == .integer(end))
        }
    }

    @Test("names of nobody, of other containers and hostile ones are refused with a short reason")
    func hostile() async throws {
        try await ConsoleBench.run { bench in
            let (world, _) = try await Self.live(bench, saves: 2)
            _ = try await world.register("bobs", world.bob)
            let long = JSONValue.string(String(repeating: "x", count: 1_000_000))
            for (name, body, code) in [
                ("feeds/read", ["deviceID": "nobodys"], "NOT_FOUND"),
                ("feeds/read", ["deviceID": "phone", "epoch": 999], "NOT_FOUND"),
                ("feeds/read", ["deviceID": "phone", "epoch": .integer(.min)], "NOT_FOUND"),
                ("feeds/read", ["deviceID": .string(String(repeating: "x", count: 65))], "BAD_REQUEST"),
                ("feeds/read", ["deviceID": "a\u{0}"], "BAD_REQUEST"),
                ("feeds/read", [:], "BAD_REQUEST"),
                ("feeds/read", ["deviceID": "phone", "limit": 1001], "BAD_REQUEST"),
                ("feeds/read", ["deviceID": "phone", "offset": "x"], "BAD_REQUEST"),
                ("journals/read", ["user": "nobody"], "NOT_FOUND"),
                ("journals/read", ["user": long], "NOT_FOUND"),
                ("journals/read", ["user": "a\u{0}"], "NOT_FOUND"),
                ("journals/read", ["user": "alice", "deviceID": "bobs"], "NOT_FOUND"),
                ("journals/read", [:], "BAD_REQUEST"),
            ] as [(String, JSONValue, String)] {
                let answer = try await bench.ask(name, body)
                #expect(answer.code == code && answer.body.count < 2000, "\(name): \(answer.text.prefix(300))")
            }
        }
    }

    @Test("in production what notifications of private databases show is left out, and that of public ones is not")
    func hidden() async throws {
        try await ConsoleBench.run(in: .production) { bench in
            let world = try await TracedWorld(bench)
            let phone = try await world.register("phone", world.alice)
            for database in [DatabaseScope.private, .public] {
                try await world.subscribe("all", world.alice, in: database)
            }
            try await world.save("hidden", 1, world.alice, in: .private)
            try await world.save("shown", 1, world.bob)
            try await Self.notified(bench, phone, 2)
            let user = JSONValue.string(try #require(world.alice.user).rawValue)
            for (name, body) in [
                ("feeds/read", ["deviceID": "phone"]), ("journals/read", ["user": user]),
            ] as [(String, JSONValue)] {
                let answer = try await bench.ask(name, body)
                #expect(answer.json["valuesLeftOut"] == true)
                let rows = answer.json["entries"]?.array?.filter { $0["kind"] == "notification" } ?? []
                #expect(Set(rows.compactMap { $0["database"]?.string }) == ["private", "public"], "\(answer.text)")
                for row in rows { #expect((row["notification"] == nil) == (row["database"] == "private"), "\(row)") }
                #expect(rows.allSatisfy { $0["notificationID"] != nil })
            }
        }
    }
}
