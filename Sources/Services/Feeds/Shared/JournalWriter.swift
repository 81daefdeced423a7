import EventLog

/// Writes journals into their partitions, and everything else where it belongs.
final class JournalWriter: LogWriter {
    private let writer: any LogWriter
    private let journals: SharedJournals

    init(_ writer: any LogWriter, journals: SharedJournals) {
        self.writer = writer
        self.journals = journals
    }

    func append(_ entries: [OutgoingEntry]) async throws {
        try await writer.append(
            entries.map { entry in
                guard let place = journals.place(of: entry.partition) else { return entry }
                var entry = entry
                entry.partition = place.partition
                entry.key = place.key
                return entry
            })
    }

    func close() async { await writer.close() }
}
