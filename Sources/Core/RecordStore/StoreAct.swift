import Synchronization

/// The operator's act that a task does. The first write of the task puts it on record, in its own transaction: a
/// committed act is on record, and an undone one is not.
package final class StoreAct: Sendable {
    /// The act of the current task.
    @TaskLocal package static var current: StoreAct?

    private let action: OperatorAction
    private let number = Mutex<Int64?>(nil)

    package init(_ action: OperatorAction) { self.action = action }

    /// The number of the act in its store; nil while no write has put it on record.
    package var recorded: Int64? { number.withLock(\.self) }

    /// Puts the act on record, if it is not. A backend calls it at the end of each write transaction.
    /// - Returns: its number, for `committed`; nil if there was nothing to do.
    package func record(in transaction: some OperatorActionTransaction) throws -> Int64? {
        recorded == nil ? try transaction.add(action) : nil
    }

    /// Notes that the transaction that put it on record was committed.
    package func committed(_ number: Int64?) {
        if let number { self.number.withLock { $0 = number } }
    }
}
