import CRDKafka
import Waiting

/// Reads topics as a member of a group, which spreads their partitions over its members and moves them cooperatively:
/// partitions that stay with a member are not interrupted. Any thread may call it.
///
/// The handler is called with partitions that come and go, and the owner answers when it is ready, from async code;
/// polling goes on meanwhile. All events come to one handler on one thread of its own; a handler that takes longer than
/// `max.poll.interval.ms` costs the membership.
package final class KafkaGroupConsumer: Sendable {
    /// The longest that a member takes to leave, unless the caller says otherwise.
    package static let closeTimeout = Duration.seconds(30)

    private let core: GroupCore

    /// A member of `group` that reads `topics`. Offsets are committed by `commit` alone, and `auto.offset.reset` is
    /// `error` unless the properties say otherwise. Joining begins at once.
    package init(
        _ configuration: KafkaConfiguration, group: String, topics: [String],
        handler: @escaping @Sendable (KafkaGroupEvent) -> Void
    ) throws(KafkaError) {
        let core = try GroupCore(configuration, group: group)
        self.core = core
        DedicatedThread.start(named: "kafka-group") { GroupLoop(core, topics: topics, handler: handler).run() }
    }

    deinit { core.post(.close(within: Self.closeTimeout)) }

    /// Starts to read assigned partitions, each from its offset; returns at once. Those that were revoked or lost
    /// meanwhile are left out; those that were started already start again. An offset may also be -2 for the first
    /// retained one or -1 for the end.
    /// - Parameter begun: called on the consumer's thread; messages that reach the handler from then on were read from
    ///   there.
    package func start(_ offsets: [KafkaTopicPartition: Int64], begun: @escaping @Sendable () -> Void = {}) {
        core.post(.start(offsets, begun: begun))
    }

    /// Releases revoked partitions; returns at once. The group gets them when all of a revocation are released, so
    /// their offsets have to be committed before.
    package func release(_ partitions: [KafkaTopicPartition]) { core.post(.release(partitions)) }

    /// Goes on at other offsets; returns at once. Nothing that was fetched before reaches the handler once it is
    /// carried out. Partitions that are not being read are left out.
    package func seek(_ offsets: [KafkaTopicPartition: Int64]) { core.post(.seek(offsets)) }

    /// Reads partitions no further until they are resumed; returns at once. They stay this member's.
    package func pause(_ partitions: [KafkaTopicPartition]) { core.post(.pause(partitions)) }

    /// Goes on with paused partitions where they were paused; returns at once.
    package func resume(_ partitions: [KafkaTopicPartition]) { core.post(.resume(partitions)) }

    /// Waits until everything that was asked before is carried out. Not to be awaited by what the handler waits for.
    package func settled() async {
        await withCheckedContinuation { continuation in core.post(.settle { continuation.resume() }) }
    }

    /// Commits positions with their texts, and returns when the group's coordinator has them.
    ///
    /// Refused for partitions that are not this member's, or that it has released. What passes by itself, such as a
    /// rebalance, is tried again for `timeout`: also that the group has a new generation of which this member does not
    /// know yet. It learns then whether the partitions are still its own.
    package func commit(
        _ offsets: [KafkaTopicPartition: KafkaCommittedOffset], timeout: Duration = .seconds(5)
    ) async throws(KafkaError) {
        guard !offsets.isEmpty else { return }
        let deadline = ContinuousClock.now + timeout
        while true {
            let answer = Answer<KafkaError?>()
            core.post(.commit(offsets, CommitReply { answer.give($0) }))
            let error = await answer.value(within: max(.zero, deadline - .now)) {
                KafkaError(RD_KAFKA_RESP_ERR__TIMED_OUT, "commit offsets")
            }
            guard let error else { return }
            guard error.isRetriable || error.isOfGeneration, ContinuousClock.now < deadline else { throw error }
            do { try await Task.sleep(for: .milliseconds(50)) } catch { throw .state("the commit was cancelled") }
        }
    }

    /// The group's committed positions of partitions; those without one are left out. It waits for transactions that
    /// are about to change them (unless `isolation.level` is `read_uncommitted`), at most `timeout`.
    package func committed(
        _ partitions: [KafkaTopicPartition], timeout: Duration = .seconds(10)
    ) async throws(KafkaError) -> [KafkaTopicPartition: KafkaCommittedOffset] {
        let client = core.client
        let attempt = "read what \(core.group) committed of \(Client.summary(partitions))"
        return try await core.calls.run(attempt) {
            client.committed(partitions, attempt, milliseconds: timeout.milliseconds)
        }
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

    /// Leaves the group, which gives its partitions to other members at once, and returns when librdkafka's client is
    /// destroyed. Nothing is committed; the handler is not called after that.
    /// - Parameter timeout: the longest that is waited for; the rest is done without anybody waiting.
    package func close(timeout: Duration = closeTimeout) async {
        core.post(.close(within: timeout))
        let answer = Answer<Void>()
        Task {
            await core.inbox.ended()
            answer.give(())
        }
        await answer.value(within: timeout) {}
    }
}
