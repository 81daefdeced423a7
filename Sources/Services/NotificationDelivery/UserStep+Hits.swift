import CloudMessages
import CloudModel
import ProtocolBuffers

extension UserStep {
    /// Makes notifications of hits, for all devices but the one that made the change.
    mutating func apply(_ hits: HitsMessage) throws {
        guard hits.zone != nil, let origin = hits.origin?.origin else {
            throw MalformedMessage("hits without a zone or an origin")
        }
        let isOwn = origin.user == delivery.user
        let cause = Cause(device: isOwn ? origin.device : nil, epoch: isOwn ? origin.epoch : nil)
        let delivered = deliver(hits, by: cause)
        let omitted = Int64(hits.hits.count - delivered) + Int64(max(0, hits.omitted))
        guard omitted > 0 else { return }
        let rest = OmittedNotifications(
            database: hits.hits.first?.database ?? hits.database, change: hits.change, reason: hits.kind,
            recordType: hits.recordType, recordName: hits.recordName, zone: hits.zone,
            count: Int32(clamping: omitted), isRest: hits.isRest)
        // Nor are the notifications of a backfill pushed.
        append(rest, by: cause, isPushed: hits.backfill == 0)
    }

    /// Appends an entry about notifications that are left out, for all devices but the one that made the change.
    mutating func append(_ omitted: OmittedNotifications, by cause: Cause, isPushed: Bool) {
        appendToJournal(.omitted(omitted), by: cause)
        if isPushed { pushToAddresses(PushEntry(omitted: omitted), by: cause) }
        advance()
    }

    /// Makes the first hits of an entry into notifications: a change makes a bounded number of entries and bytes in the
    /// feeds of all the user's devices together, and no more than the user's rate has room for. The others have not
    /// fired: a subscription that fires once stays.
    ///
    /// The first `Limits.hitBytesFree` bytes of a change's hits are always delivered, and no rate counts them. A
    /// backfill has a bound of its own.
    /// - Returns: the number of hits that were delivered, or had fired before.
    private mutating func deliver(_ hits: HitsMessage, by cause: Cause) -> Int {
        let feeds = max(1, delivery.devices.count)
        let count = max(0, max(1, Limits.feedEntriesPerChangeMax / feeds) - Int(hits.first))
        let whole = Int64(Limits.feedBytesPerChangeMax / feeds)
        var room = whole - max(0, min(hits.bytesBefore, whole + 1))
        var free = hits.first == 0 ? Limits.hitBytesFree : 0
        let isRated = hits.backfill == 0
        for (index, hit) in hits.hits.prefix(count).enumerated() {
            let size = hit.encoded().count
            room -= Int64(size)
            if room < 0, size > free { return index }
            if isRated, size > free + delivery.rate.room(feeds: feeds) { return index }
            deliver(hit, of: hits, by: cause)
            if isRated { delivery.rate.take(size - free, at: logged) }
            free = max(0, free - size)
        }
        return min(count, hits.hits.count)
    }

    /// Makes one hit into a notification, unless its subscription fires once and has fired.
    private mutating func deliver(_ hit: Hit, of hits: HitsMessage, by cause: Cause) {
        if hit.firesOnce {
            guard delivery.spend(SpentSubscription(created: hit.created, fired: hits.change)) else { return }
            deleteSubscription(of: hit)
        }
        let notification = QueryNotification(hit, of: hits)
        guard !holdBeforeFeed(notification, of: hit, by: cause) else { return }
        // A backfilled notification counts on no badge and is not pushed.
        deliver(
            notification, isBadged: hit.shouldBadge && !notification.isBackfilled, policy: hit.policy?.policy.ofPushes,
            by: cause)
    }

    /// Delivers a notification.
    /// - Parameter policy: the subscription's, as far as it acts on pushes.
    mutating func deliver(
        _ content: QueryNotification, isBadged: Bool, policy: DeliveryPolicy?, by cause: Cause
    ) {
        var notification = content
        if isBadged { raiseBadges(but: cause, noting: &notification) }
        appendToJournal(.query(notification), by: cause)
        notification.badges = []
        var targets: [PushTarget] = []
        for index in delivery.devices.indices where !cause.isSelf(delivery.devices[index]) {
            let device = delivery.devices[index]
            var received = notification
            received.badge = isBadged ? device.badge : nil
            if notification.isBackfilled { continue }
            guard !holdPush(received, to: device, policy) else { continue }
            targets += device.addresses.map { device.target($0, badge: received.badge) }
        }
        push(notification, to: targets, by: cause)
        countNotification()
        advance()
    }

    /// Raises the badges of the notified devices, which the journal's entry carries.
    private mutating func raiseBadges(but cause: Cause, noting notification: inout QueryNotification) {
        for index in delivery.devices.indices where !cause.isSelf(delivery.devices[index]) {
            delivery.devices[index].raiseBadge()
            let device = delivery.devices[index]
            notification.badges.append(
                DeviceBadge(device: device.id.rawValue, epoch: device.epoch.rawValue, badge: device.badge))
        }
    }
}

extension UserDelivery {
    /// Notes that a subscription which fires once has fired.
    /// - Returns: false when it had fired before.
    fileprivate mutating func spend(_ subscription: SpentSubscription) -> Bool {
        guard !spent.contains(where: { $0.created == subscription.created }) else { return false }
        spent.append(subscription)
        if spent.count > Self.spentMax { spent.removeFirst(spent.count - Self.spentMax) }
        return true
    }
}

extension UserDelivery.Device {
    /// Adds one to the badge. One that was set as high as the wire allows stays there.
    fileprivate mutating func raiseBadge() {
        if badge < .max { badge += 1 }
    }
}
