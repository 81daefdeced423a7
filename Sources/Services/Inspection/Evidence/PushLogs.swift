import CloudModel
import EventLog
import SQLite

/// The push-logs of senders: files in which each sender notes what happens to pushes.
package struct PushLogs: Sendable {
    /// Something that happened to a push.
    struct Note: Hashable {
        /// The outcomes that a sender notes.
        enum Outcome: String {
            case sent, collapsed, dropped, removed, failed, refused

            /// True if nothing more happens to the push.
            var isEnd: Bool { self != .failed && self != .refused }
        }

        var outcome: Outcome
        /// The UUID that the provider is given.
        var push: String
        var reason: String
        var status: Int64?
        var merged: Int64
        var tries: Int64
        var handed: Timestamp?
        var sent: Timestamp?
        var answered: Timestamp?
        var due: Timestamp?
        var since: Timestamp?
        /// The name of the push that stands for it.
        var successor: String?
    }

    /// A kind of address of a device.
    struct Destination: Hashable, Sendable {
        var device: DeviceID
        var epoch: DeviceEpoch
        var kind: CourierKind
    }

    /// The files that can be read.
    let files: [String]
    /// The reasons why files cannot be read, each a sentence.
    let faults: [String]
    /// The time of the oldest note of all files; nil without one.
    let first: Timestamp?

    /// Looks at files. Those that cannot be read are no error: the explanation names them.
    package init(_ files: [String]) {
        var (readable, faults): ([String], [String]) = ([], [])
        var first: Timestamp?
        for file in files {
            do {
                let oldest = try Self.open(file).first("SELECT noted FROM pushes ORDER BY id LIMIT 1") {
                    Timestamp(milliseconds: $0.integer(0))
                }
                readable.append(file)
                if let oldest { first = min(first ?? oldest, oldest) }
            } catch {
                faults.append("\(error)")
            }
        }
        (self.files, self.faults, self.first) = (readable, faults, first)
    }

    /// The notes about a push, in the order of their times.
    /// - Parameter name: that of its entry in `pushes`, as text.
    func notes(about name: String, to destination: Destination) throws -> [Note] {
        var found: [(time: Int64, note: Note)] = []
        for file in files {
            found += try Self.open(file).query(
                """
                SELECT noted, outcome, push, reason, status, merged, tries, handed, sent, answered, due, since, successor
                FROM pushes WHERE name = ? AND device = ? AND epoch = ? AND kind = ? ORDER BY id
                """, .text(name), .text(destination.device.rawValue), .integer(destination.epoch.rawValue),
                .text(destination.kind.rawValue)
            ) { row -> (time: Int64, note: Note)? in
                guard let outcome = Note.Outcome(rawValue: row.text(1)) else { return nil }
                func time(_ column: Int32) -> Timestamp? {
                    row.optionalInteger(column).map { Timestamp(milliseconds: $0) }
                }
                let note = Note(
                    outcome: outcome, push: Self.uuid(row.blob(2)), reason: row.text(3),
                    status: row.optionalInteger(4), merged: row.integer(5), tries: row.integer(6), handed: time(7),
                    sent: time(8), answered: time(9), due: time(10), since: time(11),
                    successor: row.optionalText(12))
                return (row.integer(0), note)
            }.compactMap { $0 }
        }
        return found.enumerated().sorted { ($0.element.time, $0.offset) < ($1.element.time, $1.offset) }
            .map(\.element.note)
    }

    private static func open(_ file: String) throws -> SQLiteConnection {
        try SQLiteConnection.open(SQLiteConfiguration(path: file), mode: .readOnly)
    }

    /// The text of a UUID, as headers have it.
    private static func uuid(_ bytes: [UInt8]) -> String {
        var text = ""
        for (index, byte) in bytes.enumerated() {
            if [4, 6, 8, 10].contains(index) { text += "-" }
            let digits = String(byte, radix: 16)
            text += digits.count == 1 ? "0" + digits : digits
        }
        return text
    }
}
