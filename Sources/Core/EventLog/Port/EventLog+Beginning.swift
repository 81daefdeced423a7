extension EventLog {
    /// The incarnation of a topic that is a source, from no cache.
    /// - Throws: `LogError.unknownTopic` when there is no such topic, or nobody gave it a number.
    package func incarnation(of topic: TopicName) async throws -> UInt64 {
        guard let incarnation = try await describeTopics([topic])[topic]?.incarnation else {
            throw LogError.unknownTopic(topic.rawValue)
        }
        return incarnation
    }

    /// Starts to read a partition of a source at a committed position; at the partition's start if there is none, or if
    /// it was committed in an earlier topic of that name, whose offsets mean nothing then. Seen positions stay seen.
    ///
    /// The topic is described after reading has started: described before, it could be replaced in between, and its
    /// entries would get the names of the old one's.
    /// - Parameter start: starts to read from an offset on.
    /// - Returns: the position, which names the topic, and the follower.
    package func follow(
        _ partition: TopicPartition, from committed: LogPosition?,
        by start: (_ offset: Int64) async throws -> any LogFollower
    ) async throws -> (position: LogPosition, follower: any LogFollower) {
        var position = LogPosition(offset: 0)
        if let committed { position = committed } else { try await goToStart(of: partition, &position) }
        while true {
            let started: Result<any LogFollower, any Error>
            do { started = .success(try await start(position.offset)) } catch { started = .failure(error) }
            do {
                let incarnation = try await incarnation(of: partition.topic)
                if position.isOf(incarnation) {
                    position.incarnation = incarnation
                    return (position, try started.get())
                }
                try await goToStart(of: partition, &position)
            } catch {
                try? started.get().close()
                throw error
            }
            try? started.get().close()
        }
    }

    private func goToStart(of partition: TopicPartition, _ position: inout LogPosition) async throws {
        position.incarnation = try await incarnation(of: partition.topic)
        position.offset = try await bounds(of: [partition])[partition]?.start ?? 0
    }
}
