import KafkaClient

/// What one member of a group has seen.
struct Membership: Sendable {
    var owned: Set<KafkaTopicPartition> = []
    var revoked: [KafkaTopicPartition] = []
    var lost: [KafkaTopicPartition] = []
    var messages: [KafkaMessage] = []
    var outOfRange: [KafkaTopicPartition: Int64] = [:]
    var ends: [KafkaTopicPartition: Int64] = [:]
    var errors: [KafkaError] = []
    /// Partitions that were handed on while they were not this member's to read.
    var trespasses: [KafkaTopicPartition] = []
    /// Partitions that were started and not revoked since.
    var started: Set<KafkaTopicPartition> = []
}

/// A member of a group whose events are observed, and that answers them only as a test says.
struct Member: Sendable {
    let consumer: KafkaGroupConsumer
    let seen: Observed<Membership>

    init(_ configuration: KafkaConfiguration, group: String, topics: [String]) throws {
        let seen = Observed(Membership())
        self.seen = seen
        consumer = try KafkaGroupConsumer(configuration, group: group, topics: topics) { event in
            seen.update { seen in
                switch event {
                case .assigned(let partitions): seen.owned.formUnion(partitions)
                case .revoked(let partitions):
                    seen.revoked += partitions
                    seen.started.subtract(partitions)
                case .lost(let partitions):
                    seen.lost += partitions
                    seen.owned.subtract(partitions)
                    seen.started.subtract(partitions)
                case .messages(let batch):
                    seen.trespasses += batch.partitions.filter { !seen.started.contains($0) }
                    seen.messages += batch.copies()
                case .endOfPartition(let partition, let offset): seen.ends[partition] = offset
                case .offsetOutOfRange(let partition, let offset): seen.outOfRange[partition] = offset
                case .error(let error): seen.errors.append(error)
                }
            }
        }
    }

    /// Starts to read assigned partitions.
    func start(_ offsets: [KafkaTopicPartition: Int64]) {
        seen.update { $0.started.formUnion(offsets.keys) }
        consumer.start(offsets)
    }

    /// Releases revoked partitions.
    func release(_ partitions: [KafkaTopicPartition]) {
        seen.update { seen in
            seen.owned.subtract(partitions)
            seen.revoked.removeAll { partitions.contains($0) }
        }
        consumer.release(partitions)
    }
}
