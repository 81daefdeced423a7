import CloudModel
import Foundation
import JSON
import TestSupport
import Testing

/// A container's feeds are moved into shared journals, and every device goes on where it was.
@Suite struct FeedMigrationStory {
    @Test(
        "feeds migrate keeps tokens good, and new devices have the whole history",
        arguments: StorySystem.Kind.available.filter { !$0.isSharded })
    func migrating(_ kind: StorySystem.Kind) async throws {
        let system = try await StorySystem.start(kind)
        let alice = try await system.user("alice")
        try await alice.subscribe("all", to: "M", info: ["alertBody": "new", "shouldBadge": true])
        try await alice.save([("before", [:])], type: "M")
        let phone = try await alice.register("phone")
        try await alice.save((0..<5).map { ("m\($0)", [:]) }, type: "M")
        let whole = try await alice.feed(phone, atLeast: 6)
        let inJournal = try await alice.changes(phone, limit: 1)
        let inFeed = try await alice.changes(phone, limit: 3)

        try await system.stop()
        let plan = try await system.run(["feeds", "migrate"] + system.storeFlags)
        #expect(plan.code == 3, "\(plan)")
        // Cut off before its end, it goes on.
        let command = system.command(["feeds", "migrate", "--yes"] + system.storeFlags, name: "cut-off")
        try command.start(with: ["FANFARE_KILL_AT": "feeds-moved"])
        #expect(await command.ended() == 9)
        let repair = try await system.run(["repair", "--yes"] + system.storeFlags)
        #expect(repair.code != 0 && repair.complaints.contains("'fanfare feeds migrate --yes' first"), "\(repair)")
        let done = try await system.run(["feeds", "migrate", "--yes"] + system.storeFlags)
        #expect(done.code == 0 && done.output.contains("moved 1 journals with"), "\(done)")
        // Nobody works under the layout of before.
        let again = try await system.run(["feeds", "migrate", "--yes"] + system.storeFlags)
        #expect(again.code == 0 && again.output.contains("are in the layout 'sharded'"), "\(again)")

        try await system.restart(with: ["FANFARE_FEED_LAYOUT": "sharded"])
        #expect(try await alice.feed(phone, after: inJournal.token).notes == Array(whole.notes.dropFirst(1)))
        #expect(try await alice.feed(phone, after: inFeed.token).notes == Array(whole.notes.dropFirst(3)))
        #expect(try await alice.feed(phone, after: whole.token).notes.isEmpty)
        #expect(try await alice.feed(phone).notes == whole.notes)
        try await alice.save([("after", [:])], type: "M")
        #expect(try await alice.feed(phone, atLeast: 1, after: whole.token).notes.compactMap(\.record) == ["after"])
        let laptop = try await alice.register("laptop")
        let replay = try await alice.feed(laptop, atLeast: 7).notes.compactMap(\.record)
        #expect(replay == whole.notes.compactMap(\.record) + ["after"])
        // On the embedded log one process works at a time.
        if kind.isEmbedded { try await system.stop() }
        let old = try await system.run(["feeds", "migrate", "--delete-old", "--yes"] + system.storeFlags)
        #expect(old.code == 0 && old.output.contains("deleted 2 topics"), "\(old)")
        if kind.isEmbedded { try await system.restart(with: ["FANFARE_FEED_LAYOUT": "sharded"]) }
        #expect(try await alice.feed(phone).notes.count == 7)
    }
}
