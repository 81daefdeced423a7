package import CloudModel
package import EventLog

/// The encoding of keys: `Protos/README.md` tells readers of other languages the same.
extension TopicLayout {
    /// The key of a change: zone and record name in the public database, else the zone's owner, so that a user's whole
    /// private database is one ordered partition.
    package func changeKey(_ database: DatabaseScope, _ record: Record) -> [UInt8] {
        switch database {
        case .public: Self.join(record.zone.name.rawValue, record.name.rawValue)
        case .private, .shared: Array(record.zone.owner.rawValue.utf8)
        }
    }

    /// The key of a change of a zone of a private database, or of one that is shared.
    package func zoneChangeKey(_ zone: ZoneID) -> [UInt8] { userKey(zone.owner) }

    /// The keys of boundaries in the partitions of a topic of changes, in their order: no record's or user's key looks like
    /// one.
    package var boundaryKeys: [[UInt8]] {
        var keys = [[UInt8]?](repeating: nil, count: Int(partitions))
        var missing = keys.count
        var number = 0
        while missing > 0 {
            let key = Array("#boundary.\(number)".utf8)
            let partition = Int(partition(of: key))
            if keys[partition] == nil { missing -= 1 }
            keys[partition] = keys[partition] ?? key
            number += 1
        }
        return keys.map { $0! }
    }

    /// The key of a version of a subscription.
    package func subscriptionKey(_ key: SubscriptionKey, _ sequence: CommitSequence) -> [UInt8] {
        Self.join(key.user.rawValue, "\(key.database.rawValue)", key.id.rawValue, "\(sequence)")
    }

    /// The key of everything that concerns one user.
    package func userKey(_ user: UserRecordName) -> [UInt8] { Array(user.rawValue.utf8) }

    /// The key of a command.
    package func commandKey(_ database: DatabaseScope) -> [UInt8] { Array("\(database.rawValue)".utf8) }

    /// The partition of `changes.*`, `deliveries`, `delivery-state`, `commands` or `pushes` that a key belongs to.
    package func partition(of key: [UInt8]) -> Int32 { Partitioner.partition(of: key, among: partitions) }

    /// The partition of `deliveries` that holds everything of one user.
    package func deliveries(of user: UserRecordName) -> TopicPartition {
        TopicPartition(deliveries, partition(of: userKey(user)))
    }

    /// The partition of `pushes` that holds everything of one user.
    package func pushes(of user: UserRecordName) -> TopicPartition {
        TopicPartition(pushes, partition(of: userKey(user)))
    }

    private static func join(_ parts: String...) -> [UInt8] { Array(parts.joined(separator: "\u{0}").utf8) }
}
