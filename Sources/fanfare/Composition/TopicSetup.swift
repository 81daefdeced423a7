import CloudMessages
import CloudModel
import EventLog
import Settings
import Stages
import Synchronization

/// Makes and checks the fixed topics of all containers.
struct TopicSetup {
    let log: any EventLog
    let configuration: Configuration

    /// The topics as they should be.
    var wanted: [TopicSpecification] {
        configuration.scopes.flatMap { Backends.layout(configuration, $0).fixedTopics }
    }

    /// Creates missing topics. Waits two minutes for a log that cannot be reached, as it may be starting too.
    func create() async throws -> (created: Int, existed: Int) {
        let deadline = ContinuousClock.now + .seconds(120)
        while true {
            do {
                let outcomes = try await log.createTopics(wanted).values
                for case .failed(let error) in outcomes { throw error }
                return (outcomes.count { $0 == .created }, outcomes.count { $0 == .existed })
            } catch LogError.unavailable(let reason) where ContinuousClock.now < deadline {
                Output.error("waiting for the log: \(reason)")
                try await Task.sleep(for: .seconds(1))
            }
        }
    }

    /// Brings topics that an earlier version or other tools made to what they should be, as far as a topic can be
    /// changed: the fixed ones and those of devices. Returns a line for each that could not be changed.
    func configure() async throws -> [String] {
        var failures = try await log.configureTopics(wanted)
        for layout in layouts {
            for batch in try await deviceTopics(layout) { failures.merge(try await log.configureTopics(batch)) { $1 } }
        }
        return failures.sorted { $0.key < $1.key }.map { "\($0): \($1)" }
    }

    /// Returns the differences between the topics as they are and as they should be, a line each: of the fixed topics,
    /// and of those of devices, of which only the first hundred are listed.
    func differences() async throws -> [String] {
        let found = try await log.describeTopics(wanted.map(\.name))
        let replicas =
            configuration.replicationFactor > 0
            ? configuration.replicationFactor : found.values.map(\.replicationFactor).max() ?? 1
        var lines = wanted.compactMap { Self.difference($0, found[$0.name], replicas: replicas) ?? nil }
        var more = 0
        for layout in layouts {
            for batch in try await deviceTopics(layout) {
                let found = try await log.describeTopics(batch.map(\.name))
                // One that is gone was deleted meanwhile.
                for topic in batch where found[topic.name] != nil {
                    guard let line = Self.difference(topic, found[topic.name], replicas: replicas) else { continue }
                    if lines.count < Self.linesMax { lines.append(line) } else { more += 1 }
                }
            }
        }
        return more == 0 ? lines : lines + ["and \(more) more topics of devices"]
    }

    private static let linesMax = 100
    /// Topics of devices that are described at once.
    private static let topicsMax = 2000

    private var layouts: [TopicLayout] { configuration.scopes.map { Backends.layout(configuration, $0) } }

    /// The topics of devices that there are, in parts.
    private func deviceTopics(_ layout: TopicLayout) async throws -> [[TopicSpecification]] {
        let names = try await log.topics(withPrefix: layout.feedPrefix)
        return stride(from: 0, to: names.count, by: Self.topicsMax).map { start in
            names[start..<min(start + Self.topicsMax, names.count)].map { layout.feedSpecification($0) }
        }
    }

    private static func difference(
        _ topic: TopicSpecification, _ present: TopicDescription?, replicas: Int
    ) -> String? {
        guard let present else { return "\(topic.name): is missing" }
        var wrong: [String] = []
        if present.partitions != topic.partitions {
            wrong.append("has \(present.partitions) partitions, not \(topic.partitions)")
        }
        if present.cleanup != topic.cleanup {
            wrong.append("is cleaned up as \(present.cleanup), not \(topic.cleanup)")
        }
        if present.messageBytesMax != topic.messageBytesMax {
            wrong.append("takes messages of \(present.messageBytesMax) bytes, not \(topic.messageBytesMax)")
        }
        if !present.agesFromAppend { wrong.append("takes its writers' clocks for the time of entries") }
        if !present.keepsAcknowledged {
            wrong.append("may lose acknowledged entries (min.insync.replicas, unclean.leader.election.enable)")
        }
        if present.replicationFactor < replicas {
            wrong.append("is held by \(present.replicationFactor) brokers, not \(replicas)")
        }
        if topic.isSource, present.incarnation == nil {
            wrong.append("has no incarnation: it was not made by topics init")
        }
        return wrong.isEmpty ? nil : "\(topic.name): \(wrong.joined(separator: "; "))"
    }

    /// Waits until all topics are there, as someone else is making them.
    func waitUntilThere() async throws {
        let latest = Mutex<[TopicName: TopicDescription]>([:])
        await persistently(failed: { error, pause in
            Output.error("waiting for the topics (fanfare topics init makes them): \(error)")
        }) {
            let found = try await log.describeTopics(wanted.map(\.name))
            // Stage 3 alone needs the others.
            if let missing = wanted.first(where: { $0.isSource && found[$0.name] == nil }) {
                throw LogError.unknownTopic(missing.name.rawValue)
            }
            latest.withLock { $0 = found }
        }
        try Task.checkCancellation()
        // Keys are dealt to partitions by their number: a process that believed in another would break their order.
        let found = latest.withLock { $0 }
        for topic in wanted {
            guard let present = found[topic.name], present.partitions != topic.partitions else { continue }
            throw SettingsError(
                "the topic \(topic.name) has \(present.partitions) partitions and the setting 'partitions' says \(topic.partitions); their number is fixed when the topics are made"
            )
        }
    }
}
