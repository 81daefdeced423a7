import EventLog

/// What a simulated cluster holds.
struct SimulatedContents {
    struct Partition {
        var entries: [LogEntry] = []
        var start: Int64 = 0
        var end: Int64 = 0
        /// The end that a leader without the last entries reports; nil if all leaders have them.
        var oldEnd: Int64?
    }

    struct Topic {
        var specification: TopicSpecification
        var incarnation: UInt64
        var partitions: [Partition]
    }

    var topics: [TopicName: Topic] = [:] { didSet { changes += 1 } }
    var committed: [GroupName: [TopicPartition: [LogPosition]]] = [:] { didSet { changes += 1 } }
    /// The offset that a state was committed with.
    var stateOffsets: [TopicPartition: Int64] = [:] { didSet { changes += 1 } }
    var fences: [TopicPartition: Int] = [:]
    /// The number of changes of the above but fences: the same number, the same contents.
    private(set) var changes = 0
    private var lastIncarnation: UInt64 = 100

    mutating func create(_ specification: TopicSpecification) -> TopicCreation {
        guard topics[specification.name] == nil else { return .existed }
        lastIncarnation += 1
        topics[specification.name] = Topic(
            specification: specification, incarnation: lastIncarnation,
            partitions: Array(repeating: Partition(), count: Int(specification.partitions)))
        return .created
    }

    func partition(_ name: TopicPartition) throws(LogError) -> Partition {
        guard let topic = topics[name.topic], topic.partitions.indices.contains(Int(name.partition)) else {
            throw .unknownTopic("\(name)")
        }
        return topic.partitions[Int(name.partition)]
    }

    mutating func change(_ name: TopicPartition, _ body: (inout Partition) -> Void) throws(LogError) {
        _ = try partition(name)
        body(&topics[name.topic]!.partitions[Int(name.partition)])
    }

    mutating func append(_ entry: OutgoingEntry) throws(LogError) {
        try change(entry.partition) { partition in
            partition.entries.append(
                LogEntry(
                    offset: partition.end, timestamp: entry.timestamp,
                    appended: LogTimestamp(milliseconds: Scheduler.shared.time.components.seconds * 1000),
                    key: entry.key, value: entry.value,
                    headers: entry.headers))
            partition.end += 1
        }
    }

    /// The last value of each key, up to an offset.
    func latest(_ name: TopicPartition, before end: Int64) throws(LogError) -> [[UInt8]: [UInt8]] {
        var result: [[UInt8]: [UInt8]] = [:]
        for entry in try partition(name).entries where entry.offset < end {
            if let key = entry.key { result[key] = entry.value }
        }
        return result
    }

    /// All entries of a partition, for the judge.
    func entries(_ name: TopicPartition) -> [LogEntry] { (try? partition(name))?.entries ?? [] }
}
