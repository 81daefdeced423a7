package import EventLog

/// A log that was put back from a copy: its names are those of the first one.
package final class CopiedLog: ForwardingLog {
    package let base: any EventLog

    package init(_ base: any EventLog) { self.base = base }

    package func identity() async throws -> String { "cluster" }

    package func describeTopics(_ names: [TopicName]) async throws -> [TopicName: TopicDescription] {
        try await base.describeTopics(names).mapValues { found in
            var found = found
            found.incarnation = 7
            return found
        }
    }
}
