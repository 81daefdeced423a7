import CloudModel

/// What a `MemoryLog` holds.
struct MemoryContents {
    struct Topic {
        var specification: TopicSpecification
        var incarnation: UInt64
        var partitions: [MemoryPartition]

        var description: TopicDescription {
            TopicDescription(
                name: specification.name, partitions: specification.partitions, cleanup: specification.cleanup,
                messageBytesMax: specification.messageBytesMax,
                incarnation: specification.isSource ? incarnation : nil, replicationFactor: 1)
        }
    }

    var topics: [TopicName: Topic] = [:]
    var committed: [GroupName: [TopicPartition: LogPosition]] = [:]
    /// The number of the latest session of each state partition: earlier ones are shut out.
    var fences: [TopicPartition: Int] = [:]

    mutating func create(_ specification: TopicSpecification) -> TopicCreation {
        guard topics[specification.name] == nil else { return .existed }
        topics[specification.name] = Topic(
            specification: specification, incarnation: .random(in: 1 ... .max),
            partitions: Array(repeating: MemoryPartition(), count: Int(specification.partitions)))
        return .created
    }

    /// Returns the partitions that are gone.
    mutating func delete(_ name: TopicName) -> [TopicPartition] {
        guard let topic = topics.removeValue(forKey: name) else { return [] }
        for group in committed.keys {
            committed[group] = committed[group]?.filter { $0.key.topic != name }
        }
        return topic.partitions.indices.map { TopicPartition(name, Int32($0)) }
    }

    func partition(_ name: TopicPartition) throws(LogError) -> MemoryPartition {
        guard let topic = topics[name.topic], topic.partitions.indices.contains(Int(name.partition)) else {
            throw .unknownTopic("\(name)")
        }
        return topic.partitions[Int(name.partition)]
    }

    mutating func change(_ name: TopicPartition, _ body: (inout MemoryPartition) -> Void) throws(LogError) {
        _ = try partition(name)
        body(&topics[name.topic]!.partitions[Int(name.partition)])
    }

    /// Checks all before it appends any.
    mutating func append(_ entries: [OutgoingEntry]) throws(LogError) {
        for entry in entries {
            _ = try partition(entry.partition)
            let maximum = topics[entry.partition.topic]!.specification.messageBytesMax
            guard entry.byteCount <= maximum else {
                throw .entryTooLarge(entry.partition, bytes: entry.byteCount, maximum: maximum)
            }
        }
        for entry in entries {
            topics[entry.partition.topic]!.partitions[Int(entry.partition.partition)].append(entry)
        }
    }

    mutating func fence(_ state: TopicPartition) -> Int {
        fences[state, default: 0] += 1
        return fences[state]!
    }
}
