import EventLog
import KafkaClient
import Synchronization

/// The hold on a state partition on Kafka: a transactional producer whose ID belongs to the partition. The next one
/// that initialises it fences this one.
final class KafkaStateSession: LogStateSession {
    let initialOffset: Int64?
    private let taken: Mutex<[[UInt8]: [UInt8]]>
    private let producer: KafkaTransactionalProducer
    private let claim: StateClaim
    private let log: KafkaLog

    private init(_ producer: KafkaTransactionalProducer, _ claim: StateClaim, _ log: KafkaLog, _ reading: StateReading)
    {
        self.producer = producer
        self.claim = claim
        self.log = log
        taken = Mutex(reading.state)
        initialOffset = reading.offset
    }

    /// First fences, then commits a unique number, then reads up to it: no earlier commit can be missing, whatever ends
    /// brokers report.
    static func open(_ claim: StateClaim, on log: KafkaLog) async throws -> KafkaStateSession {
        let producer: KafkaTransactionalProducer
        do {
            producer = try KafkaTransactionalProducer(log.client, transactionalID: "\(claim.group)/\(claim.input)")
        } catch {
            throw LogError(error)
        }
        do {
            try await producer.initTransactions(timeout: .seconds(30))
            let nonce = (0..<16).map { _ in UInt8.random(in: 0 ... .max) }
            try await producer.begin()
            let mark = OutgoingEntry(
                claim.state, key: ReservedKey.owner, value: nonce, timestamp: LogTimestamp(milliseconds: 0))
            _ = try await producer.send([mark.message])
            try await producer.commit()
            var reading = try await reading(of: claim, upTo: nonce, log)
            if reading.offset == nil, !reading.state.isEmpty {
                // Written by a version that had the offset in the group only.
                reading.offset = try await log.committedPositions(of: claim.group, [claim.input])[claim.input]?.offset
            }
            log.statePositions.expect(claim.input, in: claim.group)
            return KafkaStateSession(producer, claim, log, reading)
        } catch {
            producer.destroy()
            try Task.checkCancellation()
            throw (error as? KafkaTransactionError).map { LogError($0) } ?? error
        }
    }

    private static func reading(
        of claim: StateClaim, upTo nonce: [UInt8], _ log: KafkaLog
    ) async throws -> StateReading {
        let follower = try await log.follow(claim.state, from: KafkaLog.firstKept)
        defer { follower.close() }
        var reading = StateReading(nonce: nonce)
        while true {
            for entry in try await follower.next().entries where reading.take(entry) { return reading }
        }
    }

    var initialState: [[UInt8]: [UInt8]] { taken.withLock { $0 } }

    func commit(_ changes: [[UInt8]: [UInt8]?], offset: Int64, at time: LogTimestamp) async throws {
        taken.withLock { $0 = [:] }
        do {
            try await producer.begin()
            var entries = changes.map { OutgoingEntry(claim.state, key: $0, value: $1, timestamp: time) }
            entries.append(
                OutgoingEntry(
                    claim.state, key: ReservedKey.offset, value: StateReading.encoded(offset), timestamp: time))
            _ = try await producer.send(entries.map(\.message))
            try await producer.commit()
        } catch {
            try Task.checkCancellation()
            if case .abortable = error { try? await producer.abort() }
            throw LogError(error)
        }
        log.statePositions.note(offset, of: claim.input, in: claim.group)
    }

    /// Does not wait for calls under way: while Kafka is away, one of them may take a minute.
    func close() async {
        log.forget(self)
        producer.destroy()
    }
}
