import CloudMessages
import CloudModel
import Cryptography
import EventLog
import MemoryLog
import ProtocolBuffers
import TestSupport
import Testing

@testable import Feeds

/// Tokens without an offset in the journal: those of earlier versions, which counted in other topics, and the one
/// behind a registration.
@Suite struct OldTokenTests: ReadingJournals {
    private let history = FeedHistory(random: SeededGenerator(seed: 4), before: 5, after: 5)
    private let keys = KeyRing.generate()

    /// A token of an earlier version that has seen the entry at an index.
    private func token(
        _ part: FeedPosition.Part, after index: Int, of name: String, by service: FeedService
    ) throws -> String {
        let seen = try #require(history.journal[index].source?.position)
        let place = FeedPosition(
            part: part, position: LogPosition(offset: Int64(index + 1), seen: [seen.source: seen]), log: name,
            fingerprint: 1, time: Timestamp(milliseconds: history.journal[index].time))
        return service.token(place, of: Self.identity)
    }

    /// The device's notifications among the entries from an index on.
    private func rest(_ index: Int) -> [Int64] {
        history.journal[index...].compactMap(FeedHistory.change).filter(history.expected.contains)
    }

    @Test(
        "a token of an earlier version gives the entries that it has not seen",
        arguments: [FeedPosition.Part.journal, .feed], [false, true])
    func places(part: FeedPosition.Part, hasView: Bool) async throws {
        let log = try await written(history.journal)
        let name = try await log.identity()
        let process = JournalProcess(log, keys, hasView: hasView)
        try await process.run {
            // A device's topic began with its registration.
            for index in history.journal.indices where part == .journal || index >= history.journalBefore {
                let token = try token(part, after: index, of: name, by: process.service)
                #expect(try await readAll(process.service, after: token).changes == rest(index + 1))
            }
        }
    }

    @Test(
        "a token of an earlier version is expired where retention took entries that it has not seen",
        arguments: [FeedPosition.Part.journal, .feed])
    func retention(part: FeedPosition.Part) async throws {
        let log = try await written(history.journal)
        let process = JournalProcess(log, keys, hasView: false)
        let index = history.journalBefore + 1
        let token = try await token(part, after: index, of: log.identity(), by: process.service)
        // The registration goes first.
        try await log.truncate([Self.partition: Int64(2 * (index + 1))])
        #expect(try await readAll(process.service, after: token).changes == rest(index + 1))
        try await log.truncate([Self.partition: Int64(2 * (index + 2))])
        let error = await #expect(throws: CloudError.self) { _ = try await readAll(process.service, after: token) }
        #expect(error?.code == .changeTokenExpired)
        await expect(code: .changeTokenExpired) {
            try await readAll(
                process.service, after: self.token(part, after: index, of: "another", by: process.service))
        }
    }

    @Test(
        "the token behind a registration gives the entries after it, and is expired without it",
        arguments: [false, true])
    func afterRegistration(hasView: Bool) async throws {
        let log = try await written(history.journal)
        let process = JournalProcess(log, keys, hasView: hasView)
        try await process.run {
            let token = process.service.tokenAfterRegistration(of: Self.identity)
            let after = Array(history.expected.dropFirst(history.expectedBefore))
            #expect(try await readAll(process.service, after: token).changes == after)
            let kept = history.journalBefore + 2
            try await log.truncate([Self.partition: Int64(2 * kept)])
            await expect(code: .changeTokenExpired) { try await readAll(process.service, after: token) }
        }
    }
}
