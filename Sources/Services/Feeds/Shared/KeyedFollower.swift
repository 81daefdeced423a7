import EventLog

/// Follows what one key has in a partition, by walking over all of it.
final class KeyedFollower: LogFollower {
    private let follower: any LogFollower
    private let key: [UInt8]

    init(_ follower: any LogFollower, key: [UInt8]) {
        self.follower = follower
        self.key = key
    }

    func next() async throws -> LogBatch {
        while true {
            var batch = try await follower.next()
            batch.entries.removeAll { $0.key != key }
            if !batch.entries.isEmpty || batch.isAtEnd { return batch }
        }
    }

    func close() { follower.close() }
}
