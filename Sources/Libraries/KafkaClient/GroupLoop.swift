import CRDKafka
import Waiting

/// A group consumer's thread: it alone takes messages and changes assignments. It goes on polling while the owner
/// decides, so that a slow owner does not cost the membership.
final class GroupLoop {
    let core: GroupCore
    let client: Client
    let handler: (KafkaGroupEvent) -> Void
    let poll: MessagePoll
    var table = PartitionTable()
    /// Seeks that librdkafka was not ready for, and when to give them up.
    var seeks: [KafkaTopicPartition: (offset: Int64, deadline: ContinuousClock.Instant)] = [:]
    /// Partitions whose offset was out of range: librdkafka never answers a seek of them.
    var stranded: Set<KafkaTopicPartition> = []
    private var topics: [TopicHandle] = []
    private var commits: [ObjectIdentifier: CommitReply] = [:]

    init(_ core: GroupCore, topics: [String], handler: @escaping (KafkaGroupEvent) -> Void) {
        self.core = core
        self.handler = handler
        client = core.client
        let queue = client.withPointer { client in
            rd_kafka_poll_set_consumer(client)
            return rd_kafka_queue_get_consumer(client)!
        }
        poll = MessagePoll(queue: queue, wakeup: core.wakeup)
        subscribe(to: topics)
    }

    /// Works until the consumer is closed, then leaves the group and destroys the client.
    func run() {
        while true {
            let commands = core.inbox.take()
            var leaving: Duration?
            for command in commands {
                if case .close(let timeout) = command { leaving = timeout } else { carryOut(command) }
            }
            if let leaving { return end(within: leaving) }
            retrySeeks()
            core.rebalances.checkLoss(client: client)
            let hasMessages = takeMessages()
            if !hasMessages, commands.isEmpty { core.wakeup.wait(milliseconds: seeks.isEmpty ? 1_000 : 20) }
        }
    }

    private func takeMessages() -> Bool {
        let messages = poll.take()
        let (notices, failure) = core.rebalances.take()
        // Lost partitions may be another member's already; messages of revoked ones came before the revocation.
        for case .lost(let partitions) in notices { forget(partitions) }
        let failures = poll.hand(messages, through: &table, to: { handler(.messages($0)) })
        for failure in failures { report(failure) }
        for notice in notices { handle(notice) }
        if let failure { handler(.error(failure)) }
        for error in client.takeErrors() { handler(.error(error)) }
        if !commits.isEmpty { commits = commits.filter { !$0.value.isAnswered } }
        return !messages.isEmpty || !notices.isEmpty
    }

    private func handle(_ notice: GroupRebalances.Notice) {
        switch notice {
        case .assigned(let partitions): handler(.assigned(partitions))
        case .lost(let partitions): handler(.lost(partitions))
        case .revoked(let partitions):
            for partition in partitions { table[partition]?.isMuted = true }
            handler(.revoked(partitions))
        }
    }

    /// Without a handle of our own, the first assignment of a topic waits for a timer of a second.
    private func subscribe(to names: [String]) {
        for name in names where !name.hasPrefix("^") {
            if let topic = try? TopicHandle(name, of: client) { topics.append(topic) }
        }
        let list = TopicPartitionList(names.map { KafkaTopicPartition(topic: $0, partition: -1) })
        let code = client.withPointer { client in list.withPointer { rd_kafka_subscribe(client, $0) } }
        guard code != RD_KAFKA_RESP_ERR_NO_ERROR else { return }
        handler(.error(KafkaError(code, "subscribe to \(names.joined(separator: ", ")) as \(core.group)")))
    }

    private func report(_ failure: MessagePoll.Failure) {
        if failure.code == RD_KAFKA_RESP_ERR__PARTITION_EOF {
            guard let partition = failure.partition else { return }
            return handler(.endOfPartition(partition, offset: failure.offset))
        }
        if failure.code == RD_KAFKA_RESP_ERR__AUTO_OFFSET_RESET {
            guard let partition = failure.partition else { return }
            stranded.insert(partition)
            return handler(.offsetOutOfRange(partition, offset: failure.offset))
        }
        let what = failure.partition?.description ?? "as a member of \(core.group)"
        handler(.error(KafkaError(failure.code, "read \(what)", detail: failure.text)))
    }

    /// Has offsets committed; librdkafka answers through the queue that this thread takes messages from.
    func commit(_ offsets: [KafkaTopicPartition: KafkaCommittedOffset], _ caller: CommitReply) {
        // Here and not in the caller's thread, so that a release which was asked for before counts.
        let foreign = core.rebalances.notOwned(among: offsets.keys)
        guard foreign.isEmpty else {
            return caller.answer(
                KafkaError(
                    RD_KAFKA_RESP_ERR__ASSIGNMENT_LOST, "commit offsets of \(Client.summary(foreign.sorted()))",
                    detail: "they are not this member's; drop the work for them"))
        }
        let list = TopicPartitionList(offsets)
        let (rebalances, isReleaseAwaited) = (core.rebalances, core.rebalances.isReleaseAwaited)
        let reply = CommitReply { error in
            if isReleaseAwaited, error?.isOfGeneration == true { rebalances.noteRefusedGeneration() }
            caller.answer(error)
        }
        commits[ObjectIdentifier(reply)] = reply
        // Unretained: `commits` holds it until it is answered, or until nothing takes answers any more.
        let opaque = Unmanaged.passUnretained(reply).toOpaque()
        let code = client.withPointer { client in
            list.withPointer { list in
                rd_kafka_commit_queue(
                    client, list, poll.queue,
                    { _, code, offsets, opaque in
                        let reply = Unmanaged<CommitReply>.fromOpaque(opaque!).takeUnretainedValue()
                        reply.answer(GroupLoop.failure(code, offsets))
                    }, opaque)
            }
        }
        guard code != RD_KAFKA_RESP_ERR_NO_ERROR else { return }
        reply.answer(KafkaError(code, "commit offsets"))
    }

    /// Returns the error of a commit as a whole, or of the first partition that it failed for.
    private static func failure(
        _ code: rd_kafka_resp_err_t, _ offsets: UnsafeMutablePointer<rd_kafka_topic_partition_list_t>?
    ) -> KafkaError? {
        let entries = offsets.map { TopicPartitionList.entries(of: $0) } ?? []
        if let entry = entries.first(where: { $0.code != RD_KAFKA_RESP_ERR_NO_ERROR }) {
            return KafkaError(entry.code, "commit offset \(entry.offset) of \(entry.partition)")
        }
        return code == RD_KAFKA_RESP_ERR_NO_ERROR ? nil : KafkaError(code, "commit offsets")
    }

    private func end(within timeout: Duration) {
        core.rebalances.beginClosing(client: client)
        leave(by: .now + timeout)
        _ = client.withPointer { rd_kafka_consumer_close($0) }
        core.calls.close()
        table.removeAll()
        for topic in topics { topic.destroy() }
        poll.close()
        // librdkafka 2.0 ends the whole process if a member is destroyed that has joined its group and got no
        // assignment (an assertion about the assignor's state). A client without a coordinator may get one while it
        // closes, and so is not destroyed either.
        if core.rebalances.hasBeenAssigned { client.destroy() } else { client.abandon() }
        for reply in commits.values { reply.answer(.closed("commit offsets")) }
        core.end()
    }

    /// Leaves the group, and gives partitions back as it asks for them.
    ///
    /// `rd_kafka_consumer_close` of librdkafka 2.0 sends no LeaveGroup for a member without partitions, and none while
    /// the member joins: the group would wait for it until its session is over. `rd_kafka_unsubscribe` sends one,
    /// after the assignment if the member joins. But it forgets a member that the coordinator has not named yet.
    private func leave(by deadline: ContinuousClock.Instant) {
        func serve(while condition: () -> Bool) {
            while condition(), ContinuousClock.now < deadline {
                for message in poll.take() { rd_kafka_message_destroy(message) }
                core.wakeup.wait(milliseconds: 20)
            }
        }
        serve { core.rebalances.isRejoiningEmpty && !hasJoined }
        _ = client.withPointer { rd_kafka_unsubscribe($0) }
        serve { isSubscribed || hasJoined }
    }

    /// Indicates whether this member reads topics. False once an `rd_kafka_unsubscribe` is carried out.
    private var isSubscribed: Bool {
        client.withPointer { client in
            var topics: UnsafeMutablePointer<rd_kafka_topic_partition_list_t>?
            guard rd_kafka_subscription(client, &topics) == RD_KAFKA_RESP_ERR_NO_ERROR, let topics else { return false }
            defer { rd_kafka_topic_partition_list_destroy(topics) }
            return topics.pointee.cnt > 0
        }
    }

    /// Indicates whether the group's coordinator has named this member.
    private var hasJoined: Bool {
        client.withPointer { client in
            guard let name = rd_kafka_memberid(client) else { return false }
            defer { rd_kafka_mem_free(client, name) }
            return name.pointee != 0
        }
    }
}
