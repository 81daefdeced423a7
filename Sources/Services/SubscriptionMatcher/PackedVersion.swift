import CloudMessages
import CloudModel
import ProtocolBuffers

/// A version of a subscription in little memory, linked to those before and after it: there are millions. What only the
/// index and snapshots need is encoded; users, what notifications carry, and stores are numbers of shared values.
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
    var user = Self.none
    var info = Self.none
    var store = Self.none
    private let idCount: UInt32
    private let database: UInt8
    let flags: Flags

    /// The properties of a version that are known without decoding it.
    struct Flags: OptionSet {
        let rawValue: UInt8
        static let firesOnce = Flags(rawValue: 1 << 0)
        static let hasPast = Flags(rawValue: 1 << 1)
        static let isZone = Flags(rawValue: 1 << 2)
        static let isDatabase = Flags(rawValue: 1 << 3)
        static let isNamedElsewhere = Flags(rawValue: 1 << 4)
    }

    /// A version that has no numbers of shared values yet.
    /// - Parameters:
    ///   - watched: condition and past as a `SubscriptionEvent` with nothing else in it; nothing for a deletion.
    ///   - flags: those of what they say.
    init(
        _ key: SubscriptionKey, _ sequence: CommitSequence, created: CommitSequence, offset: Int64, watched: [UInt8],
        _ flags: Flags
    ) {
        let id = key.id.rawValue.utf8
        idCount = UInt32(id.count)
        var bytes: [UInt8] = []
        bytes.reserveCapacity(id.count + watched.count)
        bytes.append(contentsOf: id)
        bytes.append(contentsOf: watched)
        self.bytes = bytes
        self.sequence = sequence
        self.created = created
        self.offset = offset
        database = UInt8(key.database.rawValue)
        self.flags = flags
    }

    /// Condition and past of a subscription as they are kept.
    static func watched(_ subscription: Subscription) -> [UInt8] {
        var event = SubscriptionEvent()
        event.condition = ConditionMessage(subscription.condition)
        event.backfill = subscription.backfill.map { BackfillMessage($0) }
        return event.encoded()
    }

    var isDeletion: Bool { info == Self.none }
    var hasPast: Bool { flags.contains(.hasPast) }
    var isNamedElsewhere: Bool { flags.contains(.isNamedElsewhere) }
    var firesOnce: Bool { flags.contains(.firesOnce) }
    var kind: Subscription.Kind {
        flags.contains(.isZone) ? .zone : flags.contains(.isDatabase) ? .database : .query
    }

    /// Condition and past as they are kept; nothing for a deletion.
    var watched: [UInt8] { Array(bytes.dropFirst(Int(idCount))) }

    /// The subscription's key.
    func key(_ user: UserRecordName) -> SubscriptionKey {
        SubscriptionKey(
            user: user, database: DatabaseScope(rawValue: Int32(database))!,
            id: SubscriptionID(trusted: String(decoding: bytes.prefix(Int(idCount)), as: UTF8.self)))
    }

    /// The subscription, from its shared and its own parts.
    func subscription(_ key: SubscriptionKey, _ info: NotificationInfo) -> Subscription {
        guard let event = try? SubscriptionEvent(decoding: watched),
            let condition = try? event.condition?.condition()
        else { preconditionFailure("bytes that were encoded here cannot be read") }
        return Subscription(
            key: key, condition: condition, notificationInfo: info, backfill: event.backfill?.backfill)
    }
}

extension PackedVersion.Flags {
    /// - Parameters:
    ///   - subscription: what the version says; nil for a deletion.
    ///   - isNamedElsewhere: true if the key of its entry is not the one that names it.
    init(_ subscription: Subscription?, isNamedElsewhere: Bool = false) {
        self = isNamedElsewhere ? .isNamedElsewhere : []
        guard let subscription else { return }
        if subscription.condition.firesOnce { insert(.firesOnce) }
        if subscription.backfill != nil { insert(.hasPast) }
        switch subscription.condition.kind {
        case .query: break
        case .zone: insert(.isZone)
        case .database: insert(.isDatabase)
        }
    }
}
