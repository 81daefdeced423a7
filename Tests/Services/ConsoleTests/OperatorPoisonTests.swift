import CloudMessages
import CloudModel
import EventLog
import JSON
import Poison
import RecordService
import RecordStore
import SQLite
import SQLiteLog
import TestSupport
import Testing

@testable import Console

/// Entries that are set aside, on the embedded log, whose one writer is the process that answers operators.
@Suite struct OperatorPoisonTests {
    /// The place of a change that alice's record makes.
    private static func place(_ bench: ConsoleBench) async throws -> PoisonPlace {
        let (query, scope) = ("?ckAPIToken=\(bench.apiToken)", bench.scopePath)
        let signIn = try await bench.send("POST", "/auth/1/\(scope)/signin\(query)", ["user": "alice"])
        let user = [("Authorization", "Bearer \(try #require(signIn.json["ckWebAuthToken"]?.string))")]
        let saved = try await bench.send(
            "POST", "/database/1/\(scope)/public/records/modify\(query)",
            ["operations": [["operationType": "create", "record": ["recordName": "a", "recordType": "Artwork"]]]],
            headers: user)
        #expect(saved.status == 200, "\(saved.text)")
        let (log, layout) = (bench.system.log, bench.system.layout)
        let topic = layout.changes(.public)
        let partitions = (0..<layout.partitions).map { TopicPartition(topic, $0) }
        let (partition, bounds) = try await answer("the change in the log") {
            try await log.bounds(of: partitions).first { $0.value.end > $0.value.start }
        }
        let incarnation = try #require(try await log.describeTopics([topic])[topic]?.incarnation)
        return PoisonPlace(
            stage: .match, topic: layout.shortName(topic), incarnation: incarnation, partition: partition.partition,
            offset: bounds.end - 1)
    }

    @Test("an entry that is set aside is listed, and tried again once by the process that has the log")
    func retry() async throws {
        let folder = TemporaryFolder()
        let log = try SQLiteLog(SQLiteConfiguration(path: folder.path("log.sqlite"), isDurable: false))
        try await ConsoleBench.run(log: log) { bench in
            let place = try await Self.place(bench)
            let partition = TopicPartition(bench.system.layout.changes(.public), place.partition)
            let ledger = PoisonLedger(
                log: log, layout: bench.system.layout, marks: nil, now: { Timestamp(milliseconds: 5000) })
            try await ledger.noteUnreadable(place, "so it seemed")
            let first = try await bench.ask("poison/list").json["entries"]?[0]
            #expect(first?["entry"]?.string == "\(place)" && first?["reason"] == "cannot be read: so it seemed")
            #expect(try await bench.ask("overview").json["setAside"] == 1)
            let end = try await log.bounds(of: [partition])[partition]?.end
            let unknown = try await bench.ask("poison/retry", ["entries": ["match/changes.public/0@4711"]])
            #expect(unknown.json["entries"]?[0]?["isDone"] == false)
            #expect(try await log.bounds(of: [partition])[partition]?.end == end, "nothing was appended")
            let retried = try await bench.ask("poison/retry", ["all": true])
            #expect(retried.json["entries"]?.array?.map { $0["isDone"] } == [true], "\(retried.text)")
            #expect(try await bench.actions().first?.outcome == "done")
            #expect(try await log.bounds(of: [partition])[partition]?.end == end.map { $0 + 1 })
            #expect(try await bench.ask("poison/list").json["entries"]?[0]?["retried"] != nil)
            // All are those that were not tried before; one that is named again is not appended again.
            #expect(try await bench.ask("poison/retry", ["all": true]).json["entries"] == [])
            let again = try await bench.ask("poison/retry", ["entries": [.string("\(place)")]])
            #expect(again.json["entries"]?[0]?["outcome"] == "was tried again before")
            #expect(try await log.bounds(of: [partition])[partition]?.end == end.map { $0 + 1 })
        }
    }
}
