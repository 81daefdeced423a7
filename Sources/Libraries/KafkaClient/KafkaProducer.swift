import Waiting

/// Writes messages, each once, in the order of the calls, without gaps.
///
/// It is idempotent, asks for the acknowledgement of all in-sync replicas, and never gives a message up. Whatever makes
/// that impossible kills it: when one message is refused for good, no later one of its partition gets into the log, and
/// everything that is under way, and every later call, throws. Its owner then makes a new one and begins again at
/// what it knows to be written. Any thread may call it.
package final class KafkaProducer: Sendable {
    private let core: ProducerCore

    /// A producer of the cluster that `configuration` names. Nothing is sent yet, so that a cluster that cannot be
    /// reached is no error here. `topicHandlesMax` bounds the topics for which a handle is kept.
    package init(_ configuration: KafkaConfiguration, topicHandlesMax: Int = 20_000) throws(KafkaError) {
        core = try ProducerCore(
            configuration,
            Client.Properties(
                defaults: ["linger.ms": "1", "max.in.flight.requests.per.connection": "5"],
                fixed: [
                    "enable.idempotence": "true", "acks": "all", "enable.gapless.guarantee": "true",
                    "message.timeout.ms": "0",
                ]),
            isTransactional: false, topicHandlesMax: topicHandlesMax)
    }

    deinit { core.close(deadline: .now) }

    /// The error that ended the producer, nil while it lives.
    package var failure: KafkaError? { core.failure }

    /// Writes a batch, and returns the offsets of its messages, in their order, when all are acknowledged.
    ///
    /// Order within a partition is the order of calls; several may be in flight. It waits as long as the cluster cannot
    /// be reached. A message over `message.max.bytes` is refused before anything of its batch is sent, and does not
    /// harm the producer. An offset is -1001 if the message was acknowledged only as a duplicate.
    /// - Parameter grace: how long a cancelled task still waits; then it throws, and its messages stay in flight: all
    ///   of them, or the first ones, may be written later.
    package func send(
        _ messages: [KafkaOutgoingMessage], grace: Duration = .zero
    ) async throws(KafkaError) -> [Int64] {
        try await core.send(messages, grace: grace)
    }

    /// Begins to write a batch and returns at once, or throws and takes nothing of it. `completion` is called once with
    /// what `send` would have returned, on the producer's thread: it must be quick.
    ///
    /// What librdkafka has no room for waits in memory, so the caller bounds how much it begins.
    package func enqueue(
        _ messages: [KafkaOutgoingMessage], completion: @escaping @Sendable (Result<[Int64], KafkaError>) -> Void
    ) throws(KafkaError) {
        try core.enqueue(messages, completion: completion)
    }

    /// Learns where topics are, so that the first batch to each costs no more than later ones. Throws when one does not
    /// exist, after asking for as long as `patience`: a broker may learn late of a topic that was just created.
    package func prepare(topics: [String], patience: Duration = .seconds(10)) async throws(KafkaError) {
        try await core.prepare(topics: topics, patience: patience)
    }

    /// Drops the state of topics that will not be written to again, such as deleted ones.
    package func forget(topics: [String]) { core.post(.forget(topics: topics)) }

    /// Refuses further batches, waits until all is acknowledged or `timeout` is over, which fails the rest, and returns
    /// when librdkafka's client is destroyed.
    package func close(timeout: Duration = .seconds(10)) async {
        core.close(deadline: .now + timeout)
        await core.inbox.ended()
    }

    /// Fails messages in flight, and destroys librdkafka's client on a thread of its own; returns at once.
    package func destroy() { core.close(deadline: .now) }
}
