import EventLog
import Synchronization

/// The hold on a state partition of a `MemoryLog`.
final class MemoryStateSession: LogStateSession {
    let initialOffset: Int64?
    private let taken: Mutex<[[UInt8]: [UInt8]]>
    private let log: MemoryLog
    private let claim: StateClaim
    private let number: Int

    init(log: MemoryLog, claim: StateClaim, number: Int, initialState: [[UInt8]: [UInt8]], initialOffset: Int64?) {
        self.log = log
        self.claim = claim
        self.number = number
        taken = Mutex(initialState)
        self.initialOffset = initialOffset
    }

    var initialState: [[UInt8]: [UInt8]] { taken.withLock { $0 } }

    func commit(_ changes: [[UInt8]: [UInt8]?], offset: Int64, at time: LogTimestamp) async throws {
        taken.withLock { $0 = [:] }
        let entries = changes.map { OutgoingEntry(claim.state, key: $0.key, value: $0.value, timestamp: time) }
        try log.commit(entries, offset: offset, claim: claim, number: number)
    }

    func close() async {}
}
