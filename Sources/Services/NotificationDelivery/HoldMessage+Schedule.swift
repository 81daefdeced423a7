import CloudMessages
import CloudModel
import EventLog
import ProtocolBuffers

/// The notifications of one subscription that a policy holds. Pure: times are the log's.
extension HoldMessage {
    static let hour = Int64(3_600_000)

    /// Returns true if it is before the pushes to a device.
    func isBefore(_ device: UserDelivery.Device) -> Bool {
        self.device == device.id.rawValue && epoch == device.epoch.rawValue
    }

    /// Returns true if it is of the subscription of a notification.
    func isOf(_ notification: QueryNotification) -> Bool {
        database == notification.database && subscription == notification.subscription
    }

    /// Bytes that it is stored with at most: three names, of four bytes a character; ten for each change and time; and a
    /// row's for all else, as for each notification.
    var bytesMost: Int {
        held.reduce(3 * 4 * Limits.nameCharactersMax + Limits.rowBytes + 10 * pushed.count) {
            $0 + Limits.heldNotificationBytesMax + Limits.rowBytes + 10 * $1.changes.count
        }
    }

    /// Adds a notification, and sets the time at which it is due.
    /// - Parameters:
    ///   - own: the policy of the subscription.
    ///   - policy: the policy that holds it.
    ///   - clock: that of the device.
    mutating func add(
        _ new: HeldNotification, own: DeliveryPolicy?, under policy: DeliveryPolicy, at now: Int64,
        by clock: DeviceClock
    ) {
        self.own = own.map { PolicyMessage($0) }
        self.policy = PolicyMessage(policy)
        add(new, isPerRecord: policy.isPerRecord, at: now)
        schedule(at: now, by: clock)
    }

    /// Adds a notification: in place of the last one of the same record, or of any record.
    private mutating func add(_ new: HeldNotification, isPerRecord: Bool, at now: Int64) {
        if held.isEmpty { opened = now }
        if let index = held.indices.last(where: { !isPerRecord || held[$0].isOfRecord(of: new) }) {
            // The newest comes last.
            let former = held.remove(at: index)
            held.append(new.standing(for: former))
        } else {
            held.append(new)
        }
        while held.count > (isPerRecord ? Limits.heldRecordsMax : 1) {
            let first = held.removeFirst()
            held[0] = held[0].standing(for: first)
        }
    }

    /// Removes changes that were read.
    mutating func drop(_ changes: Set<Int64>) {
        held = held.compactMap { $0.without(changes) }
    }

    /// Sets the time at which it is due.
    /// - Parameter clock: that of the device.
    mutating func schedule(at now: Int64, by clock: DeviceClock) {
        let policy = policy?.policy ?? DeliveryPolicy()
        let count = held.reduce(0) { $0 + $1.count }
        due = opened + policy.window
        if let countMax = policy.countMax, count >= countMax { due = min(due, now) }
        // Before the feed nothing is only counted.
        if device.isEmpty, count >= Limits.heldChangesMax { due = min(due, now) }
        if let hourlyMax = policy.hourlyMax {
            forgetPushed(at: now)
            if pushed.count >= hourlyMax { due = max(due, pushed[pushed.count - hourlyMax] + Self.hour) }
        } else {
            pushed = []
        }
        if let end = policy.quietHours?.end(at: max(due, now), by: clock) { due = end }
    }

    /// Takes out the notifications for which there is room within the hour.
    /// - Parameter isAll: true takes all, whatever the policy says.
    mutating func takeDue(at now: Int64, isAll: Bool) -> [HeldNotification] {
        let hourlyMax = policy?.policy.hourlyMax
        let room = isAll ? held.count : min(held.count, hourlyMax.map { max(0, $0 - pushed.count) } ?? held.count)
        defer { held.removeFirst(room) }
        if hourlyMax != nil { pushed += Array(repeating: now, count: room) }
        pushed = pushed.suffix(Limits.hourlyPushesMax)
        return Array(held.prefix(room))
    }

    /// Returns true if nothing is held, and no push of late counts.
    func isOver(at now: Int64) -> Bool {
        held.isEmpty && pushed.allSatisfy { Self.isForgotten($0, at: now) }
    }

    /// Forgets pushes that were more than an hour ago, and those after a clock that had leapt.
    private mutating func forgetPushed(at now: Int64) {
        pushed.removeAll { Self.isForgotten($0, at: now) }
    }

    private static func isForgotten(_ pushed: Int64, at now: Int64) -> Bool {
        pushed <= now - hour || pushed > now + hour
    }
}

extension HeldNotification {
    /// - Parameter time: that of its change.
    init(_ notification: QueryNotification, at time: Int64, shouldBadge: Bool = false) {
        var bare = notification
        (bare.covered, bare.changeCount, bare.badges) = ([], 0, [])
        let badge = notification.badge != nil || shouldBadge
        bare.badge = nil
        self.init(
            notification: bare, time: time, changes: notification.covered + [notification.change],
            more: max(0, notification.changeCount - Int64(notification.covered.count) - 1), shouldBadge: badge)
    }

    /// True if it may be held with all that it shows.
    var isSmall: Bool { notification.map { $0.encoded().count <= Limits.heldNotificationBytesMax } ?? true }

    /// The number of changes that it stands for.
    var count: Int { Int(clamping: more) + changes.count }

    /// The notification as it is delivered; nil for none.
    var whole: QueryNotification? {
        guard var whole = notification else { return nil }
        whole.covered = changes.filter { $0 != whole.change }
        whole.changeCount = count > 1 ? Int64(count) : 0
        return whole
    }

    /// The notification for the changes that were not read; nil for none. The last one names it, its texts stay.
    fileprivate func without(_ read: Set<Int64>) -> HeldNotification? {
        var rest = self
        rest.changes.removeAll(where: read.contains)
        guard rest.count > 0 else { return nil }
        if let own = notification?.change, read.contains(own) { rest.notification?.change = rest.changes.last ?? own }
        return rest
    }

    fileprivate func isOfRecord(of other: HeldNotification) -> Bool {
        notification?.recordName == other.notification?.recordName && notification?.zone == other.notification?.zone
            && notification?.recordType == other.notification?.recordType
    }

    /// The notification, also for the changes of an earlier one.
    fileprivate func standing(for former: HeldNotification) -> HeldNotification {
        var both = self
        if Mistake.heldChangesAreForgotten.isMade { return both }
        both.changes = former.changes
        both.changes += changes.prefix(max(0, Limits.heldChangesMax - former.changes.count))
        both.more = former.more + more + Int64(former.changes.count + changes.count - both.changes.count)
        both.shouldBadge = shouldBadge || former.shouldBadge
        return both
    }

    /// Without fields, and then without texts, if it has more than `Limits.heldNotificationBytesMax` bytes. The feed has
    /// all of them, and a push has no more than 4 KB.
    func trimmed() -> HeldNotification {
        guard !isSmall else { return self }
        var trimmed = self
        trimmed.notification?.fields = []
        if !trimmed.isSmall { trimmed.notification?.appearance = nil }
        if !trimmed.isSmall { trimmed.notification?.alertBody = nil }
        return trimmed
    }
}
