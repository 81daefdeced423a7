import Waiting

/// Reads partitions that its owner names, from offsets that its owner gives; partitions come and go one by one without
/// disturbing the others. Any thread may call it.
///
/// Everything it reads comes to one handler on one thread of its own. A handler that takes its time holds back the
/// reading, and nothing else.
package final class KafkaPartitionReader: Sendable {
    private let core: ReaderCore

    /// A reader of the cluster that `configuration` names, which reads nothing yet.
    ///
    /// Its properties differ from librdkafka's in `auto.offset.reset` (`error`) and `fetch.wait.max.ms` (50): a
    /// partition that is added waits for the fetch under way, so this is its latency. One fetch names all partitions,
    /// which costs some 15 µs of each core for each of them: raise it for readers of many quiet partitions.
    package init(
        _ configuration: KafkaConfiguration, handler: @escaping @Sendable (KafkaReaderEvent) -> Void
    ) throws(KafkaError) {
        let core = try ReaderCore(configuration)
        self.core = core
        DedicatedThread.start(named: "kafka-reader") { ReaderLoop(core, handler: handler).run() }
    }

    deinit { core.post(.close) }

    /// Reads partitions from the given offsets, also those that are being read already; returns at once.
    ///
    /// An offset may also be -2 for the first retained one or -1 for the end. A missing partition is reported within
    /// some seconds. Messages that were fetched for an earlier assignment of a partition do not reach the handler once
    /// this one is carried out; `settled` waits for that.
    package func add(_ offsets: [KafkaTopicPartition: Int64]) {
        core.post(.add(offsets, version: core.nextVersion()))
    }

    /// Reads partitions no longer; returns at once. Once it is carried out, no message of theirs reaches the handler.
    package func remove(_ partitions: [KafkaTopicPartition]) {
        core.post(.remove(partitions))
    }

    /// Waits until everything that was asked before is carried out: partitions that were removed are not handed on any
    /// more. Not to be awaited by what the handler waits for.
    package func settled() async {
        await withCheckedContinuation { continuation in core.post(.settle { continuation.resume() }) }
    }

    /// Returns the offsets at the ends of a partition at this moment; asks for at most `timeout`.
    package func watermarks(
        of partition: KafkaTopicPartition, timeout: Duration = .seconds(10)
    ) async throws(KafkaError) -> KafkaWatermarks {
        let client = core.client
        return try await core.calls.run("ask for the watermarks of \(partition)") {
            client.watermarks(of: partition, milliseconds: timeout.milliseconds)
        }
    }

    /// Stops reading, and returns when librdkafka's client is destroyed; the handler is not called after that.
    package func close() async {
        core.post(.close)
        await core.inbox.ended()
    }
}
