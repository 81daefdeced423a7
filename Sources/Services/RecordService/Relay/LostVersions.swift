import CloudMessages
import CloudModel
import RecordStore

/// The versions of subscriptions that a repair has put into the outbox again because the topic had lost them. Their
/// keys name their own sequences, and all of these lie before the first row of the outbox. Pure.
///
/// A stage takes a version as a sign that all before it have come. So these go out ahead of the outbox, in the order
/// of their own sequences: in their rows' places they would come behind newer versions that wait there, and behind
/// changes that they concern.
///
/// A version that is not older than the first row has a row of its own under its own sequence, as rows are only removed
/// from the first one on: that row publishes it in its place, and the repair's row does so once more.
struct LostVersions: Sendable {
    /// The place of a version.
    struct Place: Hashable, Sendable {
        /// The sequence that its key names.
        var own: CommitSequence
        /// The sequence of its row.
        var row: CommitSequence
    }

    /// The name under which the store keeps the last row that a repair has made.
    private static let reader = "lost-versions"

    /// The last row that a repair has made; zero where none has.
    static func lastRow(_ reader: any StoreReader) throws -> CommitSequence {
        let stored = try reader.position(Self.reader).map { String(decoding: $0, as: UTF8.self) }
        return CommitSequence(stored.flatMap { Int64($0) } ?? 0)
    }

    /// Notes that a repair has made rows up to one.
    static func note(_ last: CommitSequence, _ transaction: any StoreTransaction) throws {
        try transaction.setPosition(Array("\(last.rawValue)".utf8), of: reader)
    }

    /// The first row of the outbox; nil while none was added.
    private(set) var first: CommitSequence?
    /// The last row that was added.
    private(set) var last = CommitSequence.zero
    /// The newest row of each version, by the version's own sequence: a repair that was cut off and done again has made
    /// several.
    private var rows: [CommitSequence: CommitSequence] = [:]

    /// Takes the next rows of the outbox.
    mutating func add(_ next: [OutboxRow]) {
        first = first ?? next.first?.sequence
        last = next.last?.sequence ?? last
        for row in next {
            if let own = ownSequence(of: row) { rows[own] = row.sequence }
        }
    }

    /// The places of the versions, in the order of their own sequences.
    var places: [Place] { rows.map { Place(own: $0.key, row: $0.value) }.sorted { $0.own < $1.own } }

    /// Returns true if a row is one of those that go out ahead.
    func contains(_ row: OutboxRow) -> Bool { row.sequence <= last && ownSequence(of: row) != nil }

    /// The sequence of the version that a row publishes, if it is older than all rows.
    private func ownSequence(of row: OutboxRow) -> CommitSequence? {
        guard row.destination == .subscriptions, row.value != nil, let first,
            let own = TopicLayout.sequence(ofSubscriptionKey: row.key), own < first
        else { return nil }
        return own
    }
}
