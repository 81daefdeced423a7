package import CloudMessages
import CloudModel
package import EventLog

/// A log whose journals share the partitions of one topic. Each is shown to readers as a topic of its own, with the
/// offsets of its partition. Other topics, and all writing, are the log's.
///
/// With a tail, journals are read from the process's own view; without one, by scanning the partition.
package final class SharedJournals: EventLog {
    let log: any EventLog
    let layout: TopicLayout
    private let tail: JournalTail?

    package init(_ log: any EventLog, layout: TopicLayout, tail: JournalTail? = nil) {
        self.log = log
        self.layout = layout
        self.tail = tail
    }

    /// The partition of a journal, and its key; nil for any other topic.
    func place(of partition: TopicPartition) -> (partition: TopicPartition, key: [UInt8])? {
        layout.journalUser(partition.topic).map { (layout.journals(of: $0), layout.userKey($0)) }
    }

    // MARK: Topics

    package func createTopics(_ specifications: [TopicSpecification]) async throws -> [TopicName: TopicCreation] {
        try await log.createTopics(specifications)
    }

    package func configureTopics(_ specifications: [TopicSpecification]) async throws -> [TopicName: LogError] {
        try await log.configureTopics(specifications)
    }

    /// A journal is there when the topic of all journals is.
    package func describeTopics(_ names: [TopicName]) async throws -> [TopicName: TopicDescription] {
        let journals = names.filter { layout.journalUser($0) != nil }
        var requested = names.filter { layout.journalUser($0) == nil }
        if !journals.isEmpty { requested.append(layout.journals) }
        var found = try await log.describeTopics(requested)
        guard !journals.isEmpty, var shared = found[layout.journals] else { return found }
        if !names.contains(layout.journals) { found[layout.journals] = nil }
        shared.partitions = 1
        for name in journals {
            shared.name = name
            found[name] = shared
        }
        return found
    }

    package func topics(withPrefix prefix: String) async throws -> [TopicName] {
        let others = try await log.topics(withPrefix: prefix)
        guard prefix.hasPrefix(layout.journalPrefix) || layout.journalPrefix.hasPrefix(prefix) else { return others }
        var names: [TopicName] = []
        for number in 0..<layout.partitions {
            for key in try await keys(of: TopicPartition(layout.journals, number)) {
                let name = layout.journal(UserRecordName(trusted: String(decoding: key, as: UTF8.self)))
                if name.rawValue.hasPrefix(prefix) { names.append(name) }
            }
        }
        return others + names.sorted()
    }

    /// The users who have something in a partition of journals.
    private func keys(of partition: TopicPartition) async throws -> [[UInt8]] {
        if let tail {
            try await tail.reach(partition, tail.ends.bounds(of: partition).end)
            return try await tail.view.keys(of: partition)
        }
        var keys: Set<[UInt8]> = []
        try await log.readToEnd(of: partition) { entry in
            guard let key = entry.key else { return }
            if entry.value == nil { keys.remove(key) } else { keys.insert(key) }
        }
        return Array(keys)
    }

    package func deleteTopics(_ names: [TopicName]) async throws -> [TopicName: LogError] {
        try await log.deleteTopics(names)
    }

    // MARK: Reading

    package func bounds(of partitions: [TopicPartition]) async throws -> [TopicPartition: OffsetBounds] {
        try await bounds(of: partitions, notOlderThan: .zero)
    }

    package func bounds(
        of partitions: [TopicPartition], notOlderThan age: Duration
    ) async throws -> [TopicPartition: OffsetBounds] {
        let places = partitions.map { place(of: $0)?.partition ?? $0 }
        if let tail, partitions.count == 1, let only = places.first, only.topic == layout.journals {
            let known = try await tail.ends.bounds(of: only, notOlderThan: age)
            // What a reader would not believe, it would ask for again, and begin between two answers.
            let isGood = age == .zero || tail.agrees(with: known, of: only)
            return [partitions[0]: isGood ? known : try await tail.ends.bounds(of: only)]
        }
        let found = try await log.bounds(of: Array(Set(places)))
        return Dictionary(
            uniqueKeysWithValues: zip(partitions, places).compactMap { name, place in
                found[place].map { (name, $0) }
            })
    }

    package func makeWriter() async throws -> any LogWriter { try await log.makeWriter() }

    package func follow(_ partition: TopicPartition, from offset: Int64) async throws -> any LogFollower {
        guard let place = place(of: partition) else { return try await log.follow(partition, from: offset) }
        if let tail { return try await follower(of: place, partition, from: offset, tail, isLook: false) }
        return KeyedFollower(try await log.follow(place.partition, from: offset), key: place.key)
    }

    package func look(_ partition: TopicPartition, from offset: Int64) async throws -> any LogFollower {
        try await look(partition, from: offset, known: nil)
    }

    package func look(
        _ partition: TopicPartition, from offset: Int64, holding bounds: OffsetBounds
    ) async throws -> any LogFollower {
        try await look(partition, from: offset, known: bounds)
    }

    private func look(
        _ partition: TopicPartition, from offset: Int64, known bounds: OffsetBounds?
    ) async throws -> any LogFollower {
        guard let place = place(of: partition) else { return try await log.look(partition, from: offset) }
        if let tail { return try await follower(of: place, partition, from: offset, tail, isLook: true, known: bounds) }
        return KeyedFollower(try await log.look(place.partition, from: offset), key: place.key)
    }

    /// A follower in the view, which has by then what the log had when it was asked.
    private func follower(
        of place: (partition: TopicPartition, key: [UInt8]), _ name: TopicPartition, from offset: Int64,
        _ tail: JournalTail, isLook: Bool, known: OffsetBounds? = nil
    ) async throws -> any LogFollower {
        let rebuilds = tail.rebuilds(of: place.partition)
        let bounds =
            if let known, tail.agrees(with: known, of: place.partition) {
                known
            } else {
                try await tail.ends.bounds(of: place.partition)
            }
        try await tail.reach(place.partition, bounds.end)
        guard bounds.start <= offset, offset <= max(bounds.end, tail.next(of: place.partition)) else {
            throw LogError.offsetOutOfRange(name, requested: offset, bounds: bounds)
        }
        return JournalFollower(
            tail, place.partition, key: place.key, from: offset, isLook: isLook, rebuilds: rebuilds)
    }

    // MARK: The log's own

    package var staleBoundsMax: Duration { log.staleBoundsMax }

    package func identity() async throws -> String { try await log.identity() }

    package func join(_ group: GroupName, topics: [TopicName]) async throws -> any LogMembership {
        try await log.join(group, topics: topics)
    }

    package func committedOffsets(
        of group: GroupName, _ partitions: [TopicPartition]
    ) async throws -> [TopicPartition: Int64]? {
        try await log.committedOffsets(of: group, partitions)
    }

    package func takeOver(_ claim: StateClaim) async throws -> any LogStateSession { try await log.takeOver(claim) }

    package func close() async { await log.close() }
}
