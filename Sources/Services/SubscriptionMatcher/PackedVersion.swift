import CloudMessages
import CloudModel
import ProtocolBuffers

/// A version of a subscription in little memory, linked to those before and after it: there are millions. What only the index
/// and snapshots need is encoded; users, what notifications carry, and stores are numbers of shared values.
struct PackedVersion {
    /// No version, as a number; no info, as a number: the version is a deletion.
    static let none = UInt32.max

    /// The subscription's ID, then condition and past as a `SubscriptionEvent` with nothing else in it.
    var bytes: [UInt8]
    var sequence: CommitSequence
    /// The sequence of the version after it: it is in effect for changes above its own and up to that.
    var end = CommitSequence(.max)
    var created: CommitSequence
    /// The offset in the topic.
    var offset: Int64
    /// The version before it.
    var previous = Self.none
    var user: UInt32
    var info: UInt32
    var store: UInt32
    private let idCount: UInt32
    private let database: UInt8
    private let flags: Flags

    private struct Flags: OptionSet {
        let rawValue: UInt8
        static let firesOnce = Flags(rawValue: 1 << 0)
        static let hasPast = Flags(rawValue: 1 << 1)
        static let isZone = Flags(rawValue: 1 << 2)
        static let isDatabase = Flags(rawValue: 1 << 3)
        static let isNamedElsewhere = Flags(rawValue: 1 << 4)
    }

    /// - Parameter isNamedElsewhere: true if the key of its entry is not the one that names it.
    init(_ version: SubscriptionVersion, user: UInt32, info: UInt32, store: UInt32, isNamedElsewhere: Bool) {
        let id = Array(version.key.id.rawValue.utf8)
        idCount = UInt32(id.count)
        var event = SubscriptionEvent()
        var flags: Flags = isNamedElsewhere ? .isNamedElsewhere : []
        if let subscription = version.saved?.subscription {
            let condition = subscription.condition
            event.condition = ConditionMessage(condition)
            event.backfill = subscription.backfill.map { BackfillMessage($0) }
            if condition.firesOnce { flags.insert(.firesOnce) }
            if subscription.backfill != nil { flags.insert(.hasPast) }
            switch condition.kind {
            case .query: break
            case .zone: flags.insert(.isZone)
            case .database: flags.insert(.isDatabase)
            }
        }
        bytes = id + (version.saved == nil ? [] : event.encoded())
        sequence = version.sequence
        created = version.created
        offset = version.offset
        self.user = user
        self.info = info
        self.store = store
        database = UInt8(version.key.database.rawValue)
        self.flags = flags
    }

    var isDeletion: Bool { info == Self.none }
    var hasPast: Bool { flags.contains(.hasPast) }
    var isNamedElsewhere: Bool { flags.contains(.isNamedElsewhere) }
    var firesOnce: Bool { flags.contains(.firesOnce) }
    var kind: Subscription.Kind {
        flags.contains(.isZone) ? .zone : flags.contains(.isDatabase) ? .database : .query
    }

    /// The subscription's key.
    func key(_ user: UserRecordName) -> SubscriptionKey {
        SubscriptionKey(
            user: user, database: DatabaseScope(rawValue: Int32(database))!,
            id: SubscriptionID(trusted: String(decoding: bytes.prefix(Int(idCount)), as: UTF8.self)))
    }

    /// The subscription, from what is shared and what is its own.
    func subscription(_ key: SubscriptionKey, _ info: NotificationInfo) -> Subscription {
        guard let event = try? SubscriptionEvent(decoding: Array(bytes.dropFirst(Int(idCount)))),
            let condition = try? event.condition?.condition()
        else { preconditionFailure("what was encoded here cannot be read") }
        return Subscription(
            key: key, condition: condition, notificationInfo: info, backfill: event.backfill?.backfill)
    }
}
