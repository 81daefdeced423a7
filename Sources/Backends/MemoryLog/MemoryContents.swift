import EventLog

/// The topics, positions and fences of a `MemoryLog`.
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
    /// The number of the latest session of each state partition: earlier ones are fenced.
    var fences: [TopicPartition: Int] = [:]

    mutating func create(_ specification: TopicSpecification) -> TopicCreation {
        guard topics[specification.name] == nil else { return .existed }
        topics[specification.name] = Topic(
            specification: specification, incarnation: .random(in: 1 ... .max),
            partitions: Array(repeating: MemoryPartition(), count: Int(specification.partitions)))
        return .created
    }

    mutating func configure(_ specification: TopicSpecification) {
        guard var topic = topics[specification.name] else { return }
        topic.specification.cleanup = specification.cleanup
        topic.specification.messageBytesMax = specification.messageBytesMax
        topic.specification.isSource = topic.specification.isSource || specification.isSource
        topics[specification.name] = topic
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
        // Neighbours go to the same partition often, which is found by the bytes of its name.
        var runs: [Range<Int>] = []
        for (index, entry) in entries.enumerated() {
            if let last = runs.last, entries[last.lowerBound].partition == entry.partition {
                runs[runs.count - 1] = last.lowerBound..<index + 1
            } else {
                runs.append(index..<index + 1)
            }
        }
        for run in runs {
            let name = entries[run.lowerBound].partition
            _ = try partition(name)
            let maximum = topics[name.topic]!.specification.messageBytesMax
            for entry in entries[run] where entry.byteCount > maximum {
                throw .entryTooLarge(name, bytes: entry.byteCount, maximum: maximum)
            }
        }
        for run in runs {
            let name = entries[run.lowerBound].partition
            topics[name.topic]!.partitions[Int(name.partition)].append(entries[run])
        }
    }

    mutating func fence(_ state: TopicPartition) -> Int {
        fences[state, default: 0] += 1
        return fences[state]!
    }
}
