import EventLog
import KafkaClient
import Telemetry

/// The hold on a state partition on Kafka: a transactional producer whose ID belongs to the partition. The next one that
/// initialises it fences this one.
final class KafkaStateSession: LogStateSession {
    let initialState: [[UInt8]: [UInt8]]
    let initialOffset: Int64?
    private let producer: KafkaTransactionalProducer
    private let claim: StateClaim
    private let log: KafkaLog

    private init(
        _ producer: KafkaTransactionalProducer, _ claim: StateClaim, _ log: KafkaLog, state: [[UInt8]: [UInt8]],
        offset: Int64?
    ) {
        self.producer = producer
        self.claim = claim
        self.log = log
        initialState = state
        initialOffset = offset
    }

    /// First fences, then reads the state up to its end, then the committed offset: in this order, or a state could be
    /// taken over that is older than its offset.
    static func open(_ claim: StateClaim, on log: KafkaLog) async throws -> KafkaStateSession {
        let producer: KafkaTransactionalProducer
        do {
            producer = try KafkaTransactionalProducer(
                log.client, transactionalID: "\(claim.group)/\(claim.input)")
        } catch {
            throw LogError(error)
        }
        do {
            try await producer.initTransactions()
            let state = try await state(of: claim, log)
            let offset = try await log.committedPositions(of: claim.group, [claim.input])[claim.input]?.offset
            return KafkaStateSession(producer, claim, log, state: state, offset: offset)
        } catch {
            producer.destroy()
            throw (error as? KafkaTransactionError).map { LogError($0) } ?? error
        }
    }

    private static func state(of claim: StateClaim, _ log: KafkaLog) async throws -> [[UInt8]: [UInt8]] {
        let start = try await log.bounds(of: [claim.state])[claim.state]?.start ?? 0
        let follower = try await log.follow(claim.state, from: start)
        defer { follower.close() }
        var state: [[UInt8]: [UInt8]] = [:]
        while true {
            let batch = try await follower.next()
            for entry in batch.entries { if let key = entry.key { state[key] = entry.value } }
            if batch.isAtEnd { return state }
        }
    }

    func commit(_ changes: [[UInt8]: [UInt8]?], offset: Int64, at time: LogTimestamp) async throws {
        do {
            try await producer.begin()
            if !changes.isEmpty {
                let messages = changes.map { key, value in
                    OutgoingEntry(claim.state, key: key, value: value, timestamp: time).message
                }
                _ = try await producer.send(messages)
            }
            try await producer.sendOffsets(
                [claim.input.kafka: KafkaCommittedOffset(offset: offset)], group: claim.group.rawValue)
            try await producer.commit()
        } catch {
            if case .abortable = error { try? await producer.abort() }
            throw LogError(error)
        }
    }

    func close() async {
        log.forget(self)
        await producer.close()
    }
}
