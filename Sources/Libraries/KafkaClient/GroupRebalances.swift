import CRDKafka
import Synchronization

/// librdkafka's rebalance callback, and the notices that it leaves for the consumer's thread to pass to the handler.
///
/// librdkafka wants an answer to each call before the group can go on. An assignment is answered at once, with nothing,
/// and its partitions are added when the owner starts them, so that an owner which first reads a large state does not
/// block the group; a revocation is answered when the owner has released all of it.
final class GroupRebalances: Sendable {
    enum Notice: Sendable {
        case assigned([KafkaTopicPartition])
        case revoked([KafkaTopicPartition])
        case lost([KafkaTopicPartition])
    }

    private struct State {
        var membership = GroupMembership()
        var notices: [Notice] = []
        /// The consumer is leaving: nobody will release anything.
        var isClosing = false
        var hasBeenAssigned = false
        /// Partitions were given back or lost, and no assignment has come since.
        var isRejoining = false
        var failure: KafkaError?
    }

    private let state = Mutex(State())

    /// Runs on the thread that polls, inside of the call that takes messages, or of the one that closes the consumer.
    func rebalance(
        _ client: OpaquePointer, _ kind: rd_kafka_resp_err_t,
        _ list: UnsafeMutablePointer<rd_kafka_topic_partition_list_t>
    ) {
        let partitions = TopicPartitionList.entries(of: list).map(\.partition)
        if kind == RD_KAFKA_RESP_ERR__ASSIGN_PARTITIONS {
            state.withLock { state in
                state.hasBeenAssigned = true
                state.isRejoining = false
                state.membership.assign(partitions)
                if !partitions.isEmpty { state.notices.append(.assigned(partitions)) }
            }
            let none = TopicPartitionList(capacity: 0)
            note(none.withPointer { rd_kafka_incremental_assign(client, $0) }, "accept partitions of the group")
            return
        }
        let isLost = kind != RD_KAFKA_RESP_ERR__REVOKE_PARTITIONS || rd_kafka_assignment_lost(client) != 0
        let answer: [KafkaTopicPartition]? = state.withLock { state in
            guard isLost || state.isClosing else {
                let answer = state.membership.revoke(partitions)
                if answer == nil { state.notices.append(.revoked(partitions)) }
                return answer
            }
            if !partitions.isEmpty { state.notices.append(.lost(partitions)) }
            return state.membership.lose(partitions)
        }
        if let answer { unassign(client, answer) }
    }

    /// Takes partitions back, and answers the revocation with the last of them. Returns those that were wanted back.
    func release(_ partitions: [KafkaTopicPartition], client: Client) -> [KafkaTopicPartition] {
        let (released, answer) = state.withLock { $0.membership.release(partitions) }
        if let answer { client.withPointer { unassign($0, answer) } }
        return released
    }

    /// Indicates whether the group waits for this member to release something.
    var isReleaseAwaited: Bool { state.withLock { $0.membership.isReleaseAwaited } }

    /// Indicates whether the group has given this member an assignment, even one of no partition at all.
    var hasBeenAssigned: Bool { state.withLock(\.hasBeenAssigned) }

    /// Indicates whether this member joins the group again with no partition.
    var isRejoiningEmpty: Bool { state.withLock { $0.isRejoining && $0.membership.standings.isEmpty } }

    /// Notes that the group refused the generation of a commit that was sent while a release was awaited.
    ///
    /// librdkafka before 2.10 makes it so by itself: an old generation that a commit of just before a rebalance had
    /// costs it the new one (confluentinc/librdkafka#4059).
    func noteRefusedGeneration() { state.withLock { $0.membership.refuseCommit() } }

    /// Answers a revocation for an owner that has lost the partitions while it was about to release them.
    func checkLoss(client: Client) {
        guard isReleaseAwaited else { return }
        client.withPointer { client in
            guard rd_kafka_assignment_lost(client) != 0 || state.withLock(\.membership.isCommitRefused) else { return }
            let answer = state.withLock { state in
                let revoked = state.membership.standings.filter { $0.value != .granted && $0.value != .started }
                state.notices.append(.lost(revoked.keys.sorted()))
                return state.membership.lose([])
            }
            unassign(client, answer)
        }
    }

    /// Begins those of the partitions that may be begun, and returns them.
    func start(_ partitions: some Sequence<KafkaTopicPartition>) -> [KafkaTopicPartition] {
        state.withLock { $0.membership.start(partitions) }
    }

    /// Those of the partitions that are begun already.
    func begun(among partitions: some Sequence<KafkaTopicPartition>) -> [KafkaTopicPartition] {
        state.withLock { $0.membership.begun(among: partitions) }
    }

    /// Those of the partitions that commits may not be made for.
    func notOwned(among partitions: some Sequence<KafkaTopicPartition>) -> [KafkaTopicPartition] {
        state.withLock { state in partitions.filter { !state.membership.owns($0) } }
    }

    /// From now on every partition is given back as soon as the group asks, and what it asked for is given back now.
    func beginClosing(client: Client) {
        let answer: [KafkaTopicPartition]? = state.withLock { state in
            state.isClosing = true
            return state.membership.isReleaseAwaited ? state.membership.lose([]) : nil
        }
        if let answer { client.withPointer { unassign($0, answer) } }
    }

    /// Takes the notices that came since the last call.
    func take() -> (notices: [Notice], failure: KafkaError?) {
        state.withLock { state in
            defer {
                state.notices.removeAll()
                state.failure = nil
            }
            return (state.notices, state.failure)
        }
    }

    private func unassign(_ client: OpaquePointer, _ partitions: [KafkaTopicPartition]) {
        let list = TopicPartitionList(partitions)
        state.withLock { $0.isRejoining = true }
        note(list.withPointer { rd_kafka_incremental_unassign(client, $0) }, "give partitions back to the group")
    }

    private func note(_ error: OpaquePointer?, _ attempt: String) {
        guard let error = KafkaError(consuming: error, attempt) else { return }
        state.withLock { $0.failure = error }
    }
}
