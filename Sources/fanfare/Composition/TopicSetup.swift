import CloudMessages
import CloudModel
import EventLog
import Settings
import Stages

/// Makes and checks the fixed topics of all containers.
struct TopicSetup {
    let log: any EventLog
    let configuration: Configuration

    /// The topics as they should be.
    var wanted: [TopicSpecification] {
        configuration.scopes.flatMap { Backends.layout(configuration, $0).fixedTopics }
    }

    /// Makes what is not there. Gives a log that cannot be reached two minutes, as it may be starting too.
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

    /// Returns the differences between the topics as they are and as they should be, a line each.
    func differences() async throws -> [String] {
        let found = try await log.describeTopics(wanted.map(\.name))
        return wanted.compactMap { topic in
            guard let present = found[topic.name] else { return "\(topic.name): is missing" }
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
            if topic.isSource, present.incarnation == nil {
                wrong.append("has no incarnation: it was not made by topics init")
            }
            return wrong.isEmpty ? nil : "\(topic.name): \(wrong.joined(separator: "; "))"
        }
    }

    /// Waits until all topics are there, as someone else is making them.
    func waitUntilThere() async throws {
        await persistently(failed: { error, pause in
            Output.error("waiting for the topics (fanfare topics init makes them): \(error)")
        }) {
            let found = try await log.describeTopics(wanted.map(\.name))
            if let missing = wanted.first(where: { found[$0.name] == nil }) {
                throw LogError.unknownTopic(missing.name.rawValue)
            }
        }
        try Task.checkCancellation()
        // Keys are dealt to partitions by their number: a process that believed in another would break their order.
        let found = try await log.describeTopics(wanted.map(\.name))
        for topic in wanted {
            guard let present = found[topic.name], present.partitions != topic.partitions else { continue }
            throw SettingsError(
                "the topic \(topic.name) has \(present.partitions) partitions and the setting 'partitions' says \(topic.partitions); their number is fixed when the topics are made"
            )
        }
    }
}
