import EventLog
import Synchronization
import Waiting

/// The exclusive hold on a partition's state, by a transactional producer that a later one fences.
final class SimulatedSession: LogStateSession {
    let initialState: [[UInt8]: [UInt8]]
    let initialOffset: Int64?
    private let port: SimulatedPort
    private let claim: StateClaim
    private let number: Int

    init(
        _ port: SimulatedPort, _ claim: StateClaim, number: Int, initialState: [[UInt8]: [UInt8]], initialOffset: Int64?
    ) {
        self.port = port
        self.claim = claim
        self.number = number
        self.initialState = initialState
        self.initialOffset = initialOffset
    }

    func takeInitialState() -> [[UInt8]: [UInt8]] { initialState }

    func commit(_ changes: [[UInt8]: [UInt8]?], offset: Int64, at time: LogTimestamp) async throws {
        let fault = try await port.enter("commitState")
        // A transaction takes a while from its first entry to its end.
        await Task.yield()
        if port.life.isDead { throw LogError.closed }
        if Mutation.skipACommit.isOn, Scheduler.shared.chance(oneIn: 8) { return }
        try port.log.contents.withLock { contents in
            guard contents.fences[claim.state] == number else { throw LogError.fenced("\(claim.state)") }
            for (key, value) in changes.sorted(by: { $0.key.lexicographicallyPrecedes($1.key) }) {
                if Mutation.forgetPositions.isOn, key.first == UInt8(ascii: "#") { continue }
                if Mutation.positionWithoutRows.isOn, isOfPushes, key.first != UInt8(ascii: "#") { continue }
                try contents.append(OutgoingEntry(claim.state, key: key, value: value, timestamp: time))
            }
            contents.stateOffsets[claim.state] = offset
            contents.committed[claim.group, default: [:]][claim.input, default: []].append(
                LogPosition(offset: offset))
        }
        port.log.bell.ring(claim.state)
        try await port.leave(fault)
    }

    func close() async {}

    private var isOfPushes: Bool { claim.state.topic.rawValue.hasSuffix(".push-state") }
}
