import CloudMessages
import CloudModel
import CrashMarks
import EventLog
import Foundation
import HTTPClient
import JSON
import SQLite
import SQLiteLog
import TestSupport
import Testing

/// X2, G9: an entry at which the process dies again and again stops nobody; the operator sees it and tries it again.
@Suite struct PoisonStory {
    @Test func anEntryAtWhichTheProcessDiesIsSetAsideSeenAndTriedAgain() async throws {
        let system = try await StorySystem.start(.embedded)
        let dev = try #require(system.processes["dev"])
        let alice = try await system.user("alice")
        let phone = try await alice.register("phone")
        try await alice.subscribe("all", to: "Task")
        try await alice.save([(name: "first", fields: ["n": 1])], type: "Task")
        #expect(try await alice.feed(phone, atLeast: 1).notes.map(\.record) == ["first"])
        _ = await dev.terminate()

        // Three processes died at what will be the next entry of a partition: the change of the record 'evil'.
        let layout = TopicLayout(system.scope)
        let zone = ZoneID.publicDefault.name.rawValue
        let partition = TopicPartition(
            layout.changes(.public), layout.partition(of: Array("\(zone)\u{0}evil".utf8)))
        let log = try SQLiteLog(SQLiteConfiguration(path: system.folder.path("data/log.sqlite")))
        let offset = try #require(try await log.bounds(of: [partition])[partition]).end
        let incarnation = try #require(try await log.describeTopics([partition.topic])[partition.topic]?.incarnation)
        await log.close()
        let place = "changes.public/\(String(incarnation, radix: 16))/\(partition.partition)"
        for _ in 0..<3 {
            await die(in: system.folder.path("data/crash-marks"), at: "\(system.scope)|match/\(place)", offset)
        }

        try dev.start()
        try await answers(system)
        try await alice.save([(name: "evil", fields: ["n": 2])], type: "Task")
        try await alice.save([(name: "last", fields: ["n": 3])], type: "Task")
        #expect(try await alice.feed(phone, atLeast: 2).notes.map(\.record) == ["first", "last"])
        let list = try await system.run(["poison", "list", "--json", "--data", system.folder.path("data")])
        let item = try JSONValue(parsing: Array(list.output.utf8))
        let entry = "match/changes.public/\(partition.partition)@\(offset)"
        #expect(list.code == 0 && item["entry"]?.string == entry && item["deaths"] == 3)
        // Beside the process that writes the log nobody else writes.
        let arguments = ["poison", "retry", entry, "--data", system.folder.path("data")]
        #expect(try await system.run(arguments).code == 1)

        _ = await dev.terminate()
        let retry = try await system.run(arguments)
        #expect(retry.code == 0 && retry.output.contains("appended once more"))
        try dev.start()
        try await answers(system)
        #expect(try await alice.feed(phone, atLeast: 3).notes.map(\.record) == ["first", "last", "evil"])
        try await system.stop()
    }

    private func answers(_ system: StorySystem) async throws {
        try await eventually("an answer") {
            let answer = try? await system.http.send(HTTPClientRequest("GET", "\(system.url)/openapi.yaml"))
            return answer?.status == 200
        }
    }

    /// A process that notes what it works on, and is killed.
    private func die(in folder: String, at place: String, _ offset: Int64) async {
        await #expect(processExitsWith: .failure) { [folder, place, offset] in
            let marks = try CrashMarks(folder: folder)
            marks.slot(for: place)!.begin(offset)
            kill(getpid(), SIGKILL)
        }
    }
}
