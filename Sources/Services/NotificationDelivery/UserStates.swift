import CloudMessages
import CloudModel

/// The states of one partition's users: all of them encoded, as they are stored, and those decoded that were worked on
/// lately. A user whom nothing happens to costs the bytes of the stored form.
struct UserStates {
    /// Bytes of stored states after which the decoded ones begin to be forgotten; up to twice as many are held.
    static let decodedBytesMax = 1 << 20
    /// Bytes that a decoded state counts for at least.
    private static let decodedBytesMin = 512

    /// A user's state that this version cannot read.
    struct Unreadable: Error, CustomStringConvertible {
        let user: UserRecordName
        let reason: String
        var description: String { "the state of the user '\(user)' in delivery-state cannot be read: \(reason)" }
    }

    private let layout: TopicLayout
    private var stored: [UserRecordName: [UInt8]] = [:]
    /// The decoded states in two generations: those that are not used while the younger one fills are dropped.
    private var recent: [UserRecordName: UserDelivery] = [:]
    private var older: [UserRecordName: UserDelivery] = [:]
    private var recentBytes = 0
    /// Users whose decoded state is newer than the stored one.
    private var changed: Set<UserRecordName> = []
    /// The users who were removed, with the days of the partition up to then.
    private var removed: [UserRecordName: Int64] = [:]
    /// Removed users whose states go with the next `store`.
    private var gone: Set<UserRecordName> = []
    /// The users with held hits that are due.
    private(set) var withRelease: Set<UserRecordName> = []
    /// The users whose state cannot be read, and why: theirs alone is set aside.
    private(set) var unreadable: [UserRecordName: String] = [:]

    init(layout: TopicLayout) { self.layout = layout }

    /// Takes over a stored state.
    mutating func load(_ user: UserRecordName, _ bytes: [UInt8]) {
        stored[user] = bytes
        do {
            let delivery = try UserDelivery(user: user, layout: layout, decoding: bytes)
            removed[user] = delivery.removed
            if delivery.dueRelease != nil { withRelease.insert(user) }
        } catch {
            unreadable[user] = "\(error)"
        }
    }

    /// The state of a user; that of a new one where nothing is known.
    /// - Throws: `Unreadable`.
    mutating func state(of user: UserRecordName) throws -> UserDelivery {
        if let known = recent[user] { return known }
        if let known = older[user] {
            hold(known)
            return known
        }
        if let reason = unreadable[user] { throw Unreadable(user: user, reason: reason) }
        guard let bytes = stored[user] else { return UserDelivery(user: user, layout: layout) }
        let decoded = try UserDelivery(user: user, layout: layout, decoding: bytes)
        hold(decoded)
        return decoded
    }

    /// Keeps a changed state; `store` has to follow.
    mutating func keep(_ delivery: UserDelivery) {
        hold(delivery)
        changed.insert(delivery.user)
        removed[delivery.user] = delivery.removed
        if delivery.dueRelease == nil {
            withRelease.remove(delivery.user)
        } else {
            withRelease.insert(delivery.user)
        }
    }

    /// Forgets where hits of users were held back; `store` has to follow.
    /// - Returns: the number of subscriptions that had such hits.
    mutating func forgetHeld() -> Int {
        var count = 0
        for user in stored.keys.sorted() {
            guard var delivery = try? state(of: user) else { continue }
            let lost = delivery.forgetHeld()
            if lost > 0 { keep(delivery) }
            count += lost
        }
        return count
    }

    /// Lets held hits be read again from an offset on, at the latest: the entries behind it have other offsets now.
    mutating func lowerHeld(to offset: Int64) {
        for user in stored.keys.sorted() {
            guard var delivery = try? state(of: user), delivery.lowerHeld(to: offset) else { continue }
            keep(delivery)
        }
    }

    /// Forgets removed users whose states were kept for long enough; `store` has to follow.
    /// - Parameter days: the days of the partition so far.
    mutating func forgetRemoved(at days: Int64) {
        for user in removed.keys {
            guard let delivery = try? state(of: user), delivery.isOver(at: days) else { continue }
            recent[user] = nil
            older[user] = nil
            removed[user] = nil
            changed.remove(user)
            gone.insert(user)
        }
    }

    /// Encodes the changed states, and drops decoded states that were not used lately.
    /// - Returns: the changed users with their stored forms; nil for one that is forgotten.
    mutating func store() -> [UserRecordName: [UInt8]?] {
        var result: [UserRecordName: [UInt8]?] = [:]
        for user in gone {
            stored[user] = nil
            result[user] = .some(nil)
        }
        gone = []
        for user in changed {
            guard let delivery = recent[user] else { continue }
            let bytes = delivery.encoded()
            result[user] = bytes
            stored[user] = bytes
        }
        changed = []
        if recentBytes > Self.decodedBytesMax {
            older = recent
            (recent, recentBytes) = ([:], 0)
        }
        return result
    }

    private mutating func hold(_ delivery: UserDelivery) {
        older[delivery.user] = nil
        guard recent.updateValue(delivery, forKey: delivery.user) == nil else { return }
        recentBytes += max(Self.decodedBytesMin, stored[delivery.user]?.count ?? 0)
    }

    /// The number of decoded states.
    var decodedCount: Int { recent.count + older.count }
}
