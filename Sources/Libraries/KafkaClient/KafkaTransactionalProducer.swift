import CRDKafka
import Synchronization
import Waiting

/// Writes messages and a group's offsets in transactions: all of one become visible at once, or none.
///
/// The order of calls is `initTransactions` once, then `begin`, any number of `send` and `sendOffsets`, and `commit` or
/// `abort`. A final error (`KafkaTransactionError.isFinal`) ends the producer: every later call throws it again, and
/// its owner destroys it and makes a new one. Any thread may call it.
package final class KafkaTransactionalProducer: Sendable {
    private let core: ProducerCore
    private let state = Mutex(TransactionState())
    private let preparedTopics = Mutex<Set<String>>([])

    /// A producer with a transactional ID, which fences every earlier producer of the same ID when its transactions
    /// are initialised.
    package init(_ configuration: KafkaConfiguration, transactionalID: String) throws(KafkaError) {
        core = try ProducerCore(
            configuration,
            Client.Properties(
                defaults: ["linger.ms": "0"],
                fixed: ["enable.idempotence": "true", "acks": "all", "transactional.id": transactionalID]),
            isTransactional: true, topicHandlesMax: 20_000)
    }

    deinit { core.close(deadline: .now) }

    /// Fences earlier producers of the transactional ID and settles what they left open; retries for `timeout`. Do it
    /// at start-up, and begin a first transaction: the first costs up to a second.
    package func initTransactions(timeout: Duration = .seconds(60)) async throws(KafkaTransactionError) {
        try await perform(.initialise) { client, attempt in
            Self.retrying(attempt, for: timeout) { rd_kafka_init_transactions(client, timeout.milliseconds) }
        }
    }

    /// Opens a transaction.
    package func begin() async throws(KafkaTransactionError) {
        try await perform(.begin) { client, attempt in
            KafkaError(consuming: rd_kafka_begin_transaction(client), attempt)
        }
        core.post(.begin)
    }

    /// Writes a batch in the transaction, and returns the offsets of its messages, in their order, when all are
    /// acknowledged. Several may be under way. Nobody reads them before the commit, except at `read_uncommitted`.
    /// A message that is too large, or whose topic does not exist, is refused before anything of its batch is sent.
    package func send(_ messages: [KafkaOutgoingMessage]) async throws(KafkaTransactionError) -> [Int64] {
        let transaction = try start(.send)
        do throws(KafkaError) {
            try core.checkSizes(of: messages)
            // librdkafka 2.0 adds partition -1 to the transaction when it does not know the topic yet, and the
            // transaction then hangs until it times out.
            try await prepare(topics: Array(Set(messages.map(\.topic))))
        } catch {
            throw .refused(error)
        }
        do throws(KafkaError) {
            return try await core.send(messages)
        } catch {
            throw finish(.send, of: transaction, error) ?? .abortable(error)
        }
    }

    /// Makes the commit also commit offsets of `group`, after all that was sent is acknowledged; retries for `timeout`.
    /// The group's members are not asked whether they still own the partitions: fencing is by transactional ID alone.
    package func sendOffsets(
        _ offsets: [KafkaTopicPartition: KafkaCommittedOffset], group: String, timeout: Duration = .seconds(30)
    ) async throws(KafkaTransactionError) {
        let transaction = try start(.sendOffsets)
        // With messages under way the call takes twice as long.
        if let error = await core.drain() { throw finish(.sendOffsets, of: transaction, error) ?? .abortable(error) }
        try await run(.sendOffsets, of: transaction) { client, attempt in
            let members = rd_kafka_consumer_group_metadata_new(group)
            defer { rd_kafka_consumer_group_metadata_destroy(members) }
            let list = TopicPartitionList(offsets)
            return list.withPointer { list in
                Self.retrying("\(attempt) for group \(group)", for: timeout) {
                    rd_kafka_send_offsets_to_transaction(client, list, members, timeout.milliseconds)
                }
            }
        }
    }

    /// Commits the transaction, after all that was sent is acknowledged; takes at most `transaction.timeout.ms`.
    package func commit() async throws(KafkaTransactionError) {
        let transaction = try start(.commit)
        if let error = await core.drain() {
            throw finish(.commit, of: transaction, error.inTransaction) ?? .abortable(error)
        }
        try await run(.commit, of: transaction) { client, attempt in
            KafkaError(consuming: rd_kafka_commit_transaction(client, -1), attempt)
        }
    }

    /// Drops the transaction: its messages are never read at `read_committed`, and sends in flight throw.
    package func abort() async throws(KafkaTransactionError) {
        let transaction = try start(.abort)
        core.post(.fail(.state("the transaction was aborted while messages were under way").inTransaction))
        _ = await core.drain()
        try await run(.abort, of: transaction) { client, attempt in
            KafkaError(consuming: rd_kafka_abort_transaction(client, -1), attempt)
        }
    }

    /// Learns where topics are, so that the first batch to each costs no more than later ones. Throws when one does not
    /// exist, after asking for as long as `patience`.
    package func prepare(topics: [String], patience: Duration = .seconds(10)) async throws(KafkaError) {
        let new = preparedTopics.withLock { prepared in topics.filter { !prepared.contains($0) } }
        guard !new.isEmpty else { return }
        try await core.prepare(topics: new, patience: patience)
        preparedTopics.withLock { $0.formUnion(new) }
    }

    /// Destroys librdkafka's client and returns when that is done. An open transaction is left to the coordinator,
    /// which aborts it after `transaction.timeout.ms`, or when the next producer of the ID initialises.
    package func close() async {
        core.close(deadline: .now)
        await core.inbox.ended()
    }

    /// The same as `close` on a thread of its own; returns at once.
    package func destroy() { core.close(deadline: .now) }
}

extension KafkaTransactionalProducer {
    private func perform(
        _ operation: TransactionState.Operation, _ call: @escaping @Sendable (OpaquePointer, String) -> KafkaError?
    ) async throws(KafkaTransactionError) {
        try await run(operation, of: try start(operation), call)
    }

    /// Makes a blocking call on the producer's own thread for them.
    private func run(
        _ operation: TransactionState.Operation, of transaction: Int,
        _ call: @escaping @Sendable (OpaquePointer, String) -> KafkaError?
    ) async throws(KafkaTransactionError) {
        let client = core.client
        var failure: KafkaError?
        do throws(KafkaError) {
            try await core.calls.run(operation.rawValue) { () -> Result<Void, KafkaError> in
                client.withPointer { pointer in
                    guard let error = call(pointer, operation.rawValue) else { return .success(()) }
                    // The reason behind the answer that there was a fatal error before.
                    let cause = error.isFatal ? KafkaError.fatal(of: pointer, operation.rawValue) : nil
                    return .failure(cause ?? error)
                }
            }
        } catch {
            failure = error
        }
        if let error = finish(operation, of: transaction, failure) { throw error }
    }

    private func start(_ operation: TransactionState.Operation) throws(KafkaTransactionError) -> Int {
        try state.withLock { (state) throws(KafkaTransactionError) in
            if let failure = core.failure { _ = state.finish(operation, of: 0, failure) }
            return try state.start(operation)
        }
    }

    private func finish(
        _ operation: TransactionState.Operation, of transaction: Int, _ error: KafkaError?
    ) -> KafkaTransactionError? {
        state.withLock { $0.finish(operation, of: transaction, error) }
    }

    /// Retries a call whose error says it may be retried, as it is, until `timeout` is over.
    private static func retrying(
        _ attempt: String, for timeout: Duration, _ call: () -> OpaquePointer?
    ) -> KafkaError? {
        let deadline = ContinuousClock.now + timeout
        while true {
            let error = KafkaError(consuming: call(), attempt)
            guard let error, error.isRetriable, ContinuousClock.now < deadline else { return error }
            DedicatedThread.pause(milliseconds: 20)
        }
    }
}

extension KafkaError {
    /// The same error, of a transaction that has to be aborted.
    fileprivate var inTransaction: KafkaError {
        KafkaError(
            code: code, name: name, message: message, isFatal: isFatal, isRetriable: isRetriable,
            requiresAbort: !isFatal)
    }
}

extension Duration {
    /// Whole milliseconds as librdkafka takes them.
    var milliseconds: Int32 {
        let (seconds, attoseconds) = components
        return Int32(clamping: seconds * 1_000 + attoseconds / 1_000_000_000_000_000)
    }
}
