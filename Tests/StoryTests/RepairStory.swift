import CloudMessages
import CloudModel
import EventLog
import FanfareCloudKit
import Foundation
import HTTPClient
import JSON
import KafkaLog
import SQLite
import SQLiteLog
import TestSupport
import Testing

/// Halves that were lost apart are refused by name, mended by `fanfare repair`, and go on: nothing happens in silence.
@Suite(.serialized) struct RepairStory {
    /// A user with a device, a subscription and a notification of the record 'first'.
    private struct Life {
        let system: StorySystem
        let service: FanfareProcess
        let alice: StoryUser
        let phone: String

        init(_ kind: StorySystem.Kind) async throws {
            system = try await StorySystem.start(kind)
            service = try #require(system.processes[kind.isEmbedded ? "dev" : "record-service"])
            alice = try await system.user(named: "alice")
            phone = try await alice.register("phone")
            try await alice.subscribe("all", to: "Task")
            try await save("first")
            #expect(try await records(atLeast: 1) == ["first"])
        }

        func save(_ name: String) async throws {
            try await alice.save([(name: name, fields: ["n": 1])], type: "Task")
        }

        func records(atLeast count: Int) async throws -> [String] {
            try await alice.feed(phone, atLeast: count).notes.compactMap(\.record)
        }

        /// Starts the service, which refuses to work and says why.
        func startRefused(_ reason: String) async throws {
            try service.start()
            try await eventually("a refusal: \(reason)") {
                service.complaints.contains(reason) && service.complaints.contains("fanfare repair")
            }
            let answer = try? await system.http.send(HTTPClientRequest("GET", "\(system.url)/openapi.yaml"))
            #expect(answer == nil)
        }

        /// Shows the plan, follows it, and has the service work again.
        func repair(_ reason: String) async throws {
            if system.kind.isEmbedded { #expect(await service.terminate() == 0) }
            let shown = try await system.run(["repair"] + system.storeFlags)
            #expect(shown.code == 3 && shown.output.contains(reason), "\(shown)")
            let done = try await system.run(["repair", "--yes"] + system.storeFlags)
            #expect(done.code == 0, "\(done)")
            if system.kind.isEmbedded { try service.start() }
            try await answers()
            let again = !system.kind.isEmbedded ? try await system.run(["repair"] + system.storeFlags) : nil
            #expect(again?.code ?? 0 == 0, "\(String(describing: again))")
        }

        func answers() async throws {
            try await eventually("an answer") {
                let answer = try? await system.http.send(HTTPClientRequest("GET", "\(system.url)/openapi.yaml"))
                return answer?.status == 200
            }
        }

        /// The files of the store, or of the log, of `dev`.
        func files(_ prefix: String) throws -> [String] {
            let folder = system.folder.path("data")
            return try FileManager.default.contentsOfDirectory(atPath: folder)
                .filter { $0.hasPrefix(prefix) && !$0.hasSuffix(".lock") }.map { "\(folder)/\($0)" }
        }

        var store: String { "\(system.scope).sqlite" }
    }

    @Test("a store that was restored from an older copy", arguments: StorySystem.Kind.available)
    func olderStore(kind: StorySystem.Kind) async throws {
        let life = try await Life(kind)
        #expect(await life.service.terminate() == 0)
        let copies = try life.files(life.store).map { ($0, FileManager.default.contents(atPath: $0)) }
        try life.service.start()
        try await life.answers()
        try await life.alice.subscribe("later", to: "Later")
        try await life.save("second")
        #expect(try await life.records(atLeast: 2) == ["first", "second"])
        #expect(await life.service.terminate() == 0)

        for file in try life.files(life.store) { try FileManager.default.removeItem(atPath: file) }
        for (file, content) in copies { #expect(FileManager.default.createFile(atPath: file, contents: content)) }
        try await life.startRefused("the store is an older copy")
        if kind.isEmbedded { #expect(await life.service.terminate() == 0) }
        // Cut off before its end, it is done again.
        let command = life.system.command(["repair", "--yes"] + life.system.storeFlags, name: "cut-off")
        try command.start(with: ["FANFARE_KILL_AT": "repair-prepared"])
        #expect(await command.ended() == 9)
        if kind.isEmbedded { try await life.startRefused("a repair was begun") }
        try await life.repair("a repair was begun")
        // The copy does not know the second record, and the sequence that it had is not given again.
        #expect(try await life.alice.subscriptions() == ["all"])
        try await life.save("third")
        #expect(try await life.records(atLeast: 3) == ["first", "second", "third"])
        // What the copy does not know fires no more.
        try await life.alice.save([(name: "late", fields: ["n": 1])], type: "Later")
        try await life.save("fourth")
        #expect(try await life.records(atLeast: 4) == ["first", "second", "third", "fourth"])
        try await life.system.stop()
    }

    @Test("a store that was emptied")
    func newStore() async throws {
        let life = try await Life(.embedded)
        #expect(await life.service.terminate() == 0)
        for file in try life.files(life.store) { try FileManager.default.removeItem(atPath: file) }
        try await life.startRefused("the store is another one")
        try await life.repair("another one")
        // No user is known any more; new ones are served, and old subscriptions fire no more.
        let alice = try await life.system.user(named: "alice")
        let tablet = try await alice.register("tablet")
        try await alice.subscribe("all", to: "Task")
        try await alice.save([(name: "second", fields: ["n": 1])], type: "Task")
        let notes = try await alice.feed(tablet, atLeast: 1).notes
        #expect(notes.map(\.record).last == "second" && notes.count { $0.record == "second" } == 1)
        try await life.system.stop()
    }

    @Test("a log that was lost")
    func newLog() async throws {
        let life = try await Life(.embedded)
        let token = try await life.alice.feed(life.phone, atLeast: 1).token
        #expect(await life.service.terminate() == 0)
        for file in try life.files("log.sqlite") { try FileManager.default.removeItem(atPath: file) }
        try await life.startRefused("the log has no record")
        try await life.repair("the log has no record")
        try await life.save("second")
        #expect(try await life.records(atLeast: 1) == ["second"])
        // The old token says so, in place of a gap.
        let error = await #expect(throws: FanfareError.self) {
            _ = try await life.alice.feed(life.phone, after: token)
        }
        #expect(error?.code == .changeTokenExpired)
        try await life.system.stop()
    }

    /// Removes the offset that is committed with delivery's state, and leaves the state.
    private func loseOffset(_ life: Life) throws {
        let layout = TopicLayout(life.system.scope)
        let file = SQLiteConfiguration(path: life.system.folder.path("data/log.sqlite"))
        let connection = try SQLiteConnection.open(file)
        try connection.run(
            "DELETE FROM positions WHERE topic = ? AND reader LIKE '%delivery%'", .text(layout.deliveries.rawValue))
    }

    // On Kafka the group has the offset too, which replaces it.
    @Test("a state of delivery whose offset was lost")
    func lostOffset() async throws {
        let life = try await Life(.embedded)
        let token = try await life.alice.feed(life.phone, atLeast: 1).token
        let stage = life.service
        #expect(await stage.terminate() == 0)
        try loseOffset(life)
        try stage.start()
        try await eventually("a refusal") {
            stage.complaints.contains("the offset was lost") && stage.complaints.contains("--rebuild delivery")
        }
        #expect(await stage.terminate() == 0)
        let done = try await life.system.run(["repair", "--rebuild", "delivery", "--yes"] + life.system.storeFlags)
        #expect(done.code == 0, "\(done)")
        try stage.start()
        try await life.answers()
        try await life.save("second")
        let error = await #expect(throws: FanfareError.self) {
            while true { _ = try await life.alice.feed(life.phone, after: token) }
        }
        #expect(error?.code == .changeTokenExpired)
        try await eventually("all of it once") {
            try await life.records(atLeast: 2) == ["first", "second"]
        }
        let audit = try await life.system.run(["audit"] + life.system.storeFlags)
        #expect(audit.code == 0, "\(audit)")
        try await life.system.stop()
    }

    @Test("a log that was restored from copies and differs in nothing", arguments: StorySystem.Kind.available)
    func restoredLog(kind: StorySystem.Kind) async throws {
        let life = try await Life(kind)
        let token = try await life.alice.feed(life.phone, atLeast: 1).token
        if kind.isEmbedded { #expect(await life.service.terminate() == 0) }
        let command = ["repair", "--restored"] + life.system.storeFlags
        let shown = try await life.system.run(command)
        #expect(shown.code == 3 && shown.output.contains("names that no journal has"), "\(shown)")
        let done = try await life.system.run(command + ["--yes"])
        #expect(done.code == 0, "\(done)")
        if kind.isEmbedded { try life.service.start() }
        try await life.answers()
        try await life.save("second")
        #expect(try await life.records(atLeast: 2) == ["first", "second"])
        // Change tokens stay good.
        #expect(try await life.alice.feed(life.phone, after: token).notes.compactMap(\.record) == ["second"])
        try await life.system.stop()
    }

    private static let topics = [
        "changes.public", "changes.private", "subscriptions", "deliveries", "delivery-state", "commands", "journals",
        "pushes", "poison", "identity",
    ]

    @Test("a fixed topic that was deleted and recreated", arguments: topics)
    func topicRecreated(topic: String) async throws {
        let life = try await Life(.embedded)
        #expect(await life.service.terminate() == 0)
        let layout = TopicLayout(life.system.scope)
        let log = try SQLiteLog(SQLiteConfiguration(path: life.system.folder.path("data/log.sqlite")))
        _ = try await log.deleteTopics([TopicName(layout.prefix + topic)])
        _ = try await log.createTopics(layout.fixedTopics)
        await log.close()
        let reason = "the topic '\(topic)' was deleted and recreated"
        try await life.startRefused(reason)
        try await life.repair(reason)
        try await life.save("second")
        // Notifications are in the journals alone.
        let kept = topic == "journals" ? ["second"] : ["first", "second"]
        #expect(try await life.records(atLeast: kept.count) == kept)
        // A device that comes now reads the same.
        let tablet = try await life.alice.register("tablet")
        #expect(try await life.alice.feed(tablet, atLeast: kept.count).notes.compactMap(\.record) == kept)
        try await life.system.stop()
    }
}
