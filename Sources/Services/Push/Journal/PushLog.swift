package import CloudModel
import EventLog
import SQLite
import Synchronization
import Telemetry
import Timing
import Waiting

/// The push-log: what happened to the pushes of a sender within the last day, in an SQLite file of its own. Rows are
/// only appended, and the oldest are removed. `fanfare explain` reads the file.
package final class PushLog: PushJournal {
    private enum Ring: Hashable { case noted, full }

    /// The time that a row is kept.
    package static let kept = Duration.seconds(86_400)
    /// Notes that wait for the file: further ones are lost, and counted.
    package static let waitingMax = 50_000
    /// The version of the table. A file of another version is emptied.
    private static let version: Int64 = 1
    /// The longest that a note waits for others, and the number that is not waited for.
    private static let batchPause = Duration.milliseconds(500)
    private static let batchCount = 2000
    /// The pause after which old rows are removed where nothing is noted.
    private static let idlePause = Duration.seconds(600)
    /// Rows of more than a day that one transaction removes at most.
    private static let removedMax: Int64 = 20_000

    private static let table = """
        CREATE TABLE IF NOT EXISTS pushes (
            id INTEGER PRIMARY KEY, noted INTEGER NOT NULL, name TEXT NOT NULL, user TEXT NOT NULL,
            device TEXT NOT NULL, epoch INTEGER NOT NULL, kind TEXT NOT NULL, push BLOB NOT NULL,
            outcome TEXT NOT NULL, reason TEXT NOT NULL, status INTEGER, merged INTEGER NOT NULL,
            tries INTEGER NOT NULL, handed INTEGER, sent INTEGER, answered INTEGER, due INTEGER, since INTEGER,
            successor TEXT) STRICT;
        CREATE INDEX IF NOT EXISTS pushes_by_name ON pushes (name);
        """
    private static let insertion = """
        INSERT INTO pushes (noted, name, user, device, epoch, kind, push, outcome, reason, status, merged, tries,
            handed, sent, answered, due, since, successor)
        VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)
        """

    private static let lost = Counter(
        "fanfare_push_sender_lost_notes_total", "Notes about pushes that the push-log could not take.")

    private let writer: SQLiteWriter
    private let rowsMax: Int
    private let now: @Sendable () -> Timestamp
    private let waiting = Mutex<[PushNote]>([])
    private let bell = Bell<Ring>()
    private let pace = LogPace()

    /// Opens the file, or makes it.
    /// - Parameter rowsMax: rows that are kept; the oldest go first.
    /// - Throws: `SQLiteError`.
    package init(path: String, rowsMax: Int, now: @escaping @Sendable () -> Timestamp) throws {
        // A power cut may take the last notes.
        writer = try SQLiteWriter(
            SQLiteConfiguration(path: path, isDurable: false, cacheKibibytes: 8192),
            prepare: { connection in
                if try connection.first("PRAGMA user_version", read: { $0.integer(0) }) != Self.version {
                    try connection.execute("DROP TABLE IF EXISTS pushes; PRAGMA user_version = \(Self.version)")
                }
                try connection.execute(Self.table)
            })
        self.rowsMax = rowsMax
        self.now = now
        _ = Self.lost
    }

    package func note(_ note: PushNote) {
        let count = waiting.withLock { waiting in
            guard waiting.count < Self.waitingMax else { return 0 }
            waiting.append(note)
            return waiting.count
        }
        switch count {
        case 0: Self.lost.increment()
        case 1: bell.ring(.noted)
        case Self.batchCount: bell.ring(.full)
        default: break
        }
    }

    /// Writes notes and removes old rows, until the task is cancelled.
    package func run() async {
        while !Task.isCancelled {
            await write()
            _ = try? await Time.race(within: Self.idlePause) {
                try await self.bell.wait(for: .noted) { self.waiting.withLock { !$0.isEmpty } }
            }
            _ = try? await Time.race(within: Self.batchPause) {
                try await self.bell.wait(for: .full) { self.waiting.withLock { $0.count } >= Self.batchCount }
            }
        }
    }

    /// Writes the notes that wait, and closes the file.
    package func close() async {
        await write()
        await writer.close()
    }

    /// Writes the notes that wait in one transaction.
    func write() async {
        let notes = waiting.withLock { waiting in
            defer { waiting = [] }
            return waiting
        }
        let time = now()
        do {
            try await writer.write { [rowsMax] connection in
                let statement = try connection.statement(Self.insertion)
                for note in notes { try Self.insert(note, statement) }
                try Self.trim(connection, to: rowsMax, at: time)
            }
        } catch {
            Self.lost.increment(by: notes.count)
            guard let omitted = pace.next() else { return }
            Log.warning("push-log.failed", ["error": "\(error)", "lost": notes.count, "omitted": omitted])
        }
    }

    private static func insert(_ note: PushNote, _ statement: SQLiteStatement) throws {
        let destination = note.destination
        let id = PushID(of: note.name, to: destination.device, destination.epoch, kind: destination.kind)
        try statement.bind([
            .integer(note.noted.milliseconds), .text("\(note.name)"), .text(note.user.rawValue),
            .text(destination.device.rawValue), .integer(destination.epoch.rawValue),
            .text(destination.kind.rawValue), .blob(id.bytes), .text(note.outcome.rawValue), .text(note.reason),
            .optional(note.status.map { Int64($0) }), .integer(Int64(note.merged)), .integer(Int64(note.tries)),
            .optional(note.handed?.milliseconds), .optional(note.sent?.milliseconds),
            .optional(note.answered?.milliseconds), .optional(note.due?.milliseconds),
            .optional(note.since?.milliseconds), .optional(note.successor.map { "\($0)" }),
        ])
        try statement.execute()
    }

    /// Removes the oldest rows beyond the most that are kept, and those of more than a day.
    private static func trim(_ connection: SQLiteConnection, to rowsMax: Int, at time: Timestamp) throws {
        try connection.run(
            "DELETE FROM pushes WHERE id <= (SELECT max(id) FROM pushes) - ?", .integer(Int64(rowsMax)))
        // Rows are in the order of their times, but for leaps of a clock: what it wrote for later is old as well.
        let days = (time.milliseconds - kept.milliseconds)...(time.milliseconds + kept.milliseconds)
        let first = try connection.first("SELECT noted FROM pushes ORDER BY id LIMIT 1") { $0.integer(0) }
        guard let first, !days.contains(first) else { return }
        try connection.run(
            """
            DELETE FROM pushes WHERE id IN (SELECT id FROM pushes ORDER BY id LIMIT ?) AND NOT noted BETWEEN ? AND ?
            """, .integer(removedMax), .integer(days.lowerBound), .integer(days.upperBound))
    }
}
