import Synchronization

/// The work in stores that one request causes: the account that it is done for, and the bytes that it moves.
///
/// A backend lets accounts take turns at its writer by the bytes they move, ends a closure of a request that moves more
/// than is left, and counts what each closure moved. Work outside of a request has none: it is the service's own.
package final class StoreWork: Sendable {
    /// The work of the current task.
    @TaskLocal package static var current: StoreWork?

    /// The account whose turn it takes: a user, a key or a visitor.
    package let account: String
    /// The most that it may move.
    package let bytesMax: Int
    private let bytes = Atomic<Int>(0)

    /// - Parameter bytesMax: bytes that all closures together may move, rows included.
    package init(account: String, bytesMax: Int = .max) {
        self.account = account
        self.bytesMax = bytesMax
    }

    /// The bytes that it has moved so far: read from the store, written to it and to the outbox, and a price for rows.
    package var moved: Int { bytes.load(ordering: .relaxed) }

    /// The bytes that it may still move.
    package var left: Int { max(0, bytesMax - moved) }

    /// Counts bytes.
    package func add(_ count: Int) { bytes.add(count, ordering: .relaxed) }
}
