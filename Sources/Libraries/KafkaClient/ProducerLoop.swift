import CRDKafka
import Synchronization
import Waiting

/// The producer's thread: it alone hands messages to librdkafka, so that order within a partition is the order of
/// calls, and it alone takes delivery reports, so that nothing here needs a lock.
final class ProducerLoop {
    private static let leavingMilliseconds: Int32 = 250

    let core: ProducerCore
    let client: Client
    let queue: OpaquePointer
    var topics: TopicHandles
    var messages = MessageRun()
    /// Batches by the number that their messages carry.
    var batches = InFlightBatches()
    /// The messages that librdkafka has: kept below its own limits, so that it never refuses one for want of room.
    var outstandingMessages = 0
    var outstandingBytes = 0
    let messagesMax: Int
    let bytesMax: Int
    /// The error that ended the producer, or the transaction.
    var failure: KafkaError?
    private var drains: [@Sendable (KafkaError?) -> Void] = []
    private var deadline: ContinuousClock.Instant?

    init(_ core: ProducerCore, topicHandlesMax: Int) {
        self.core = core
        client = core.client
        queue = client.withPointer { rd_kafka_queue_get_main($0) }
        topics = TopicHandles(limit: topicHandlesMax)
        messagesMax = client.property("queue.buffering.max.messages").flatMap { Int($0) } ?? 100_000
        bytesMax = (client.property("queue.buffering.max.kbytes").flatMap { Int($0) } ?? 1_048_576) * 1_024
    }

    /// Works until the producer is closed and everything is acknowledged, or late; then destroys the client.
    func run() {
        core.wakeup.attach(to: queue)
        while true {
            takeInbox()
            let hasFed = feed()
            let hasReports = serveReports()
            // The rest of a failed transaction is reported only when it is aborted.
            if batches.isEmpty || failure != nil { answerDrains() }
            if batches.isEmpty, deadline != nil { break }
            if let deadline, ContinuousClock.now >= deadline { break }
            if !hasFed, !hasReports { core.wakeup.wait(milliseconds: deadline == nil ? 1_000 : 10) }
        }
        end()
    }

    /// Ends a producer that can give its guarantees no longer, or only the transaction of one that is transactional.
    func fail(_ error: KafkaError) {
        guard failure == nil else { return }
        failure = error
        if core.isTransactional, !error.isFatal {
            batches.failAll(error, keepingThoseUnderWay: true)
            return
        }
        core.submissions.withLock { $0.failure = error }
        // Nothing that still waits may follow what failed.
        client.withPointer { client in
            _ = rd_kafka_purge(
                client, RD_KAFKA_PURGE_F_QUEUE | RD_KAFKA_PURGE_F_INFLIGHT | RD_KAFKA_PURGE_F_NON_BLOCKING)
        }
        batches.failAll(error, keepingThoseUnderWay: false)
    }

    private func takeInbox() {
        // Batches first: a command that was left before one of them is among those that are taken then.
        let submissions = core.submissions.withLock { $0.take() }
        for command in core.inbox.take() { carryOut(command) }
        for submission in submissions {
            let batch = InFlightBatch(submission.messages, submission.completion)
            if let failure { batch.fail(failure) } else { batches.append(batch) }
        }
    }

    private func carryOut(_ command: ProducerSubmissions.Command) {
        switch command {
        case .adopt(let topic, let handle): topics.adopt(handle, topic: topic)
        case .forget(let names): for name in names { topics.forget(name) }
        case .drain(let answer): drains.append(answer)
        case .fail(let error): fail(error)
        case .begin: if failure?.isFatal == false { failure = nil }
        case .close(let deadline): self.deadline = min(self.deadline ?? deadline, deadline)
        }
    }

    private func answerDrains() {
        for answer in drains { answer(failure) }
        drains.removeAll()
    }

    /// Aborts an open transaction, and waits a moment for requests in flight: destroying a client of librdkafka (2.0 to
    /// 2.15) during the first request of a transaction may end the process (`txn_req_cnt > 0`). Without an answer of a
    /// coordinator within that time, that can still happen.
    private func leaveTransaction() {
        client.withPointer {
            _ = KafkaError(consuming: rd_kafka_abort_transaction($0, Self.leavingMilliseconds), "leave the transaction")
        }
    }

    private func end() {
        let error = failure ?? .closed("send the messages in flight when the producer was closed")
        let submissions = core.submissions.withLock { submissions in
            submissions.isClosed = true
            return submissions.take()
        }
        batches.failAll(error, keepingThoseUnderWay: false)
        for submission in submissions { submission.completion(.failure(error)) }
        if failure == nil { failure = error }
        answerDrains()
        // Only now, as a call that blocks may take long, and nobody should have to wait for it.
        core.calls.close()
        for command in core.inbox.close() { carryOut(command) }
        answerDrains()
        topics.destroyAll()
        Wakeup.detach(from: queue)
        rd_kafka_queue_destroy(queue)
        if core.isTransactional { leaveTransaction() }
        client.destroy()
        core.inbox.end()
    }
}
