import CloudMessages
import CloudModel
import Cryptography
import EventLog
import Feeds
import HTTPClient
import JSON
import KafkaLog
import RecordStore
import SQLite
import SQLiteLog
import TestSupport
import Testing

/// A container that an earlier version made is moved to the topics of this one, and every device goes on where it was.
@Suite struct FeedMigrationStory {
    /// A change token of an earlier version, and the number of notifications after it.
    private typealias OldToken = (token: String, rest: Int)

    @Test(
        "feeds migrate keeps tokens good, and new devices have the whole history",
        arguments: StorySystem.Kind.available)
    func migrating(_ kind: StorySystem.Kind) async throws {
        let system = try await StorySystem.start(kind)
        let alice = try await system.user("alice")
        try await alice.subscribe("all", to: "M", info: ["alertBody": "new", "shouldBadge": true])
        try await alice.save([("before", [:])], type: "M")
        let phone = try await alice.register("phone")
        try await alice.save((0..<5).map { ("m\($0)", [:]) }, type: "M")
        let whole = try await alice.feed(phone, atLeast: 6).notes
        try await system.stop()
        let tokens = try await makeFormer(system, alice, phone)

        try await startRefused(system)
        let early = try await system.run(["repair", "--yes"] + system.storeFlags)
        #expect(early.code == 1 && early.complaints.contains("'fanfare feeds migrate --yes' first"), "\(early)")
        try await migrate(system)
        try await system.restart(with: [:])
        for old in tokens {
            #expect(try await alice.feed(phone, after: old.token).notes == Array(whole.suffix(old.rest)))
        }
        #expect(try await alice.feed(phone).notes == whole)
        try await alice.save([("after", [:])], type: "M")
        let last = try #require(tokens.last)
        #expect(last.rest == 0)
        #expect(try await alice.feed(phone, atLeast: 1, after: last.token).notes.compactMap(\.record) == ["after"])
        let laptop = try await alice.register("laptop")
        let replay = try await alice.feed(laptop, atLeast: 7).notes.compactMap(\.record)
        #expect(replay == whole.compactMap(\.record) + ["after"])
        let audit = try await system.run(["audit"] + system.storeFlags)
        #expect(audit.code == 0, "\(audit)")

        // On the embedded log one process works at a time.
        if kind.isEmbedded { try await system.stop() }
        let old = try await system.run(["feeds", "migrate", "--delete-old", "--yes"] + system.storeFlags)
        #expect(old.code == 0 && old.output.contains("deleted 2 topics"), "\(old)")
        if kind.isEmbedded { try await system.restart(with: [:]) }
        #expect(try await alice.feed(phone).notes.count == 7)
        try await system.stop()
    }

    /// Makes the stopped system one of an earlier version, with tokens behind each entry that a device has read.
    private func makeFormer(
        _ system: StorySystem, _ user: StoryUser, _ phone: String
    ) async throws -> [OldToken] {
        let isEmbedded = system.kind.isEmbedded
        let layout = TopicLayout(system.scope, partitions: isEmbedded ? TopicLayout.partitionsDefault : 4)
        let log: any EventLog =
            isEmbedded
            ? try SQLiteLog(SQLiteConfiguration(path: system.folder.path("data/log.sqlite")))
            : try KafkaLog(KafkaLogConfiguration(bootstrapServers: RealKafka.bootstrapServers()))
        let former = FormerTopics(log: log, layout: layout)
        let store = try TestStores.records(at: system.folder.path("data/\(system.scope).sqlite"))
        try await former.write(in: store)
        await store.close()
        let feeds = try await log.topics(withPrefix: layout.feedPrefix)
        let feed = try #require(feeds.first)
        let life = try #require(layout.feedIdentity(feed))
        #expect(feeds.count == 1 && life.device.rawValue == phone)
        let identity = FeedIdentity(scope: system.scope, user: user.record, device: life.device, epoch: life.epoch)
        let sealing = ChangeTokens(try KeyRing.load(file: system.folder.path("data/token.keys")))
        var tokens: [OldToken] = []
        let topics: [(FeedPosition.Part, TopicName)] = [(.journal, layout.journal(user.record)), (.feed, feed)]
        for (part, topic) in topics {
            let places = try await former.places(part, in: topic)
            for (index, place) in places.enumerated() {
                let rest = places[(index + 1)...].count { if case .query? = $0.entry.entry { true } else { false } }
                tokens.append((token: sealing.seal(place.behind, of: identity), rest: rest))
            }
        }
        await log.close()
        return tokens
    }

    /// Starts the service, which refuses to work and says why.
    private func startRefused(_ system: StorySystem) async throws {
        // Also where this version's topics are there.
        if !system.kind.isEmbedded { #expect(try await system.run(["topics", "init"]).code == 0) }
        let service = try #require(system.processes[system.kind.isEmbedded ? "dev" : "record-service"])
        try service.start()
        try await eventually("a refusal") {
            service.complaints.contains("the feeds are in the topics of an earlier version")
        }
        let answer = try? await system.http.send(HTTPClientRequest("GET", "\(system.url)/openapi.yaml"))
        #expect(answer == nil)
        #expect(await service.terminate() == 0)
    }

    /// Moves the feeds as an operator does, whose first attempt is cut off.
    private func migrate(_ system: StorySystem) async throws {
        let plan = try await system.run(["feeds", "migrate"] + system.storeFlags)
        #expect(plan.code == 3 && plan.output.contains("would move all journals and feeds"), "\(plan)")
        let command = system.command(["feeds", "migrate", "--yes"] + system.storeFlags, name: "cut-off")
        try command.start(with: ["FANFARE_KILL_AT": "feeds-moved"])
        #expect(await command.ended() == 9)
        let repair = try await system.run(["repair", "--yes"] + system.storeFlags)
        #expect(repair.code == 1 && repair.complaints.contains("'fanfare feeds migrate --yes' first"), "\(repair)")
        let done = try await system.run(["feeds", "migrate", "--yes"] + system.storeFlags)
        #expect(done.code == 0 && done.output.contains("moved 1 journals with"), "\(done)")
        let again = try await system.run(["feeds", "migrate", "--yes"] + system.storeFlags)
        #expect(again.code == 0 && again.output.contains("are in \(system.scope).journals"), "\(again)")
    }
}
