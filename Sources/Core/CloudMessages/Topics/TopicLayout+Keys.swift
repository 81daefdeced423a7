package import CloudModel
package import EventLog

/// The encoding of keys; `Protos/README.md` describes it for readers in other languages.
extension TopicLayout {
    /// The key of a change: zone and record name in the public database, else the zone's owner, so that a user's whole
    /// private database is one ordered partition.
    package func changeKey(_ database: DatabaseScope, _ record: Record) -> [UInt8] {
        changeKey(database, record.name, in: record.zone)
    }

    /// The key of a change of a record by its name.
    package func changeKey(_ database: DatabaseScope, _ record: RecordName, in zone: ZoneID) -> [UInt8] {
        switch database {
        case .public: Self.join(zone.name.rawValue, record.rawValue)
        case .private, .shared: Array(zone.owner.rawValue.utf8)
        }
    }

    /// The key of a change of a zone of a private database, or of one that is shared.
    package func zoneChangeKey(_ zone: ZoneID) -> [UInt8] { userKey(zone.owner) }

    /// The keys of boundaries in the partitions of a topic of changes, in their order: no record's or user's key looks
    /// like one.
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

    /// Returns true if a key is that of a version of a subscription, from which both can be read back; allocates no
    /// text.
    package static func isSubscriptionKey(
        _ entry: [UInt8], of key: SubscriptionKey, _ sequence: CommitSequence
    ) -> Bool {
        var place = 0
        func takes(_ text: String) -> Bool {
            for byte in text.utf8 {
                guard byte != 0, place < entry.count, entry[place] == byte else { return false }
                place += 1
            }
            return true
        }
        func takesEnd() -> Bool {
            defer { place += 1 }
            return place < entry.count && entry[place] == 0
        }
        return entry.first != UInt8(ascii: "#") && takes(key.user.rawValue) && takesEnd()
            && takes("\(key.database.rawValue)") && takesEnd() && takes(key.id.rawValue) && takesEnd()
            && takes("\(sequence)") && place == entry.count
    }

    /// The key of the entry in `subscriptions`, or in a partition of `push-addresses`, with the sequence that the events
    /// there have reached. No user's name looks like it.
    package static let reachedKey = Array("#reached".utf8)
    /// The key of the entry in one of them by which a reader knows that it has all that was there before.
    package static let readerKey = Array("#reader".utf8)

    /// The key of the tombstones in `subscriptions` that a reader writes for its snapshots. Each reader has its own, so
    /// that compaction removes no other reader's.
    package static func guardKey(_ reader: [UInt8]) -> [UInt8] { Array("#guard".utf8) + [0] + reader }

    /// Reads the sequence back from the key of a version of a subscription; nil when it is none.
    package static func sequence(ofSubscriptionKey key: [UInt8]) -> CommitSequence? {
        guard key.first != UInt8(ascii: "#"), let last = key.lastIndex(of: 0) else { return nil }
        return Int64(String(decoding: key[(last + 1)...], as: UTF8.self)).map { CommitSequence($0) }
    }

    /// Reads the subscription back from the key of one of its versions; nil when it is none.
    package static func subscription(ofSubscriptionKey key: [UInt8]) -> SubscriptionKey? {
        let parts = key.split(separator: 0, omittingEmptySubsequences: false)
        guard parts.count == 4, let number = Int32(String(decoding: parts[1], as: UTF8.self)),
            let database = DatabaseScope(rawValue: number)
        else { return nil }
        return SubscriptionKey(
            user: UserRecordName(trusted: String(decoding: parts[0], as: UTF8.self)), database: database,
            id: SubscriptionID(trusted: String(decoding: parts[2], as: UTF8.self)))
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

    /// The key of an address of a device.
    package func pushAddressKey(_ user: UserRecordName, _ device: DeviceID, _ kind: CourierKind) -> [UInt8] {
        Self.join(user.rawValue, device.rawValue, kind.rawValue)
    }

    /// Reads the place of an address back from its key; nil when it is none.
    package static func pushAddress(
        ofKey key: [UInt8]
    ) -> (user: UserRecordName, device: DeviceID, kind: CourierKind)? {
        let parts = key.split(separator: 0, omittingEmptySubsequences: false)
        guard parts.count == 3 else { return nil }
        return (
            UserRecordName(trusted: String(decoding: parts[0], as: UTF8.self)),
            DeviceID(trusted: String(decoding: parts[1], as: UTF8.self)),
            CourierKind(String(decoding: parts[2], as: UTF8.self))
        )
    }

    /// The partition of `push-addresses` that a key belongs to: that of the user's `pushes`.
    package func pushAddressPartition(ofKey key: [UInt8]) -> TopicPartition {
        TopicPartition(pushAddresses, partition(of: Array(key.prefix { $0 != 0 })))
    }

    /// The partition of `journals` that holds the journal of one user.
    package func journals(of user: UserRecordName) -> TopicPartition {
        TopicPartition(journals, partition(of: userKey(user)))
    }

    /// The user of a journal; nil when it is no journal's name.
    package func journalUser(_ topic: TopicName) -> UserRecordName? {
        guard topic.rawValue.hasPrefix(journalPrefix) else { return nil }
        return UserRecordName(trusted: String(topic.rawValue.dropFirst(journalPrefix.utf8.count)))
    }

    private static func join(_ parts: String...) -> [UInt8] { Array(parts.joined(separator: "\u{0}").utf8) }
}

extension UserRecordName {
    /// The user of a key of everything that concerns one user (`TopicLayout.userKey`).
    package init(key: [UInt8]) { self.init(trusted: String(decoding: key, as: UTF8.self)) }
}
