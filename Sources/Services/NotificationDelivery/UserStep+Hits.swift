import CloudMessages
import CloudModel
import ProtocolBuffers

extension UserStep {
    /// Makes hits into notifications: into the journal, and into the feeds of all devices but the one that made the change.
    mutating func apply(_ hits: HitsMessage) throws {
        guard hits.zone != nil, let origin = hits.origin?.origin else {
            throw MalformedMessage("hits without a zone or an origin")
        }
        let isOwn = origin.user == delivery.user
        let cause = Cause(device: isOwn ? origin.device : nil, epoch: isOwn ? origin.epoch : nil)
        let told = toldCount(of: hits)
        for hit in hits.hits.prefix(told) { tell(hit, of: hits, by: cause) }
        let omitted = Int64(hits.hits.count - told) + Int64(max(0, hits.omitted))
        guard omitted > 0 else { return }
        let rest = OmittedNotifications(
            database: hits.hits.first?.database ?? 0, change: hits.change, reason: hits.kind,
            recordType: hits.recordType, recordName: hits.recordName, zone: hits.zone,
            count: Int32(clamping: omitted))
        appendToJournal(.omitted(rest), by: cause)
        for index in delivery.devices.indices where !cause.isSelf(delivery.devices[index]) {
            append(.omitted(rest), toFeedAt: index, by: cause)
        }
        advance()
    }

    /// Makes one hit into a notification, unless its subscription fires once and has fired.
    private mutating func tell(_ hit: Hit, of hits: HitsMessage, by cause: Cause) {
        if hit.firesOnce {
            guard delivery.spend(SpentSubscription(created: hit.created, fired: hits.change)) else { return }
            deleteSubscription(of: hit)
        }
        var notification = QueryNotification(hit, of: hits)
        // What is past is no news: it counts on no badge and is pushed to nobody.
        let isBadged = hit.shouldBadge && !notification.isBackfilled
        if isBadged { raiseBadges(but: cause, noting: &notification) }
        appendToJournal(.query(notification), by: cause)
        notification.badges = []
        var targets: [PushTarget] = []
        for index in delivery.devices.indices where !cause.isSelf(delivery.devices[index]) {
            let device = delivery.devices[index]
            var received = notification
            received.badge = isBadged ? device.badge : nil
            append(.query(received), toFeedAt: index, by: cause)
            guard !notification.isBackfilled, let courier = device.courier else { continue }
            targets.append(
                PushTarget(
                    device: device.id.rawValue, epoch: device.epoch.rawValue, courier: courier.rawValue,
                    badge: received.badge))
        }
        push(notification, to: targets, by: cause)
        countNotification()
        advance()
    }

    /// Raises the badges of the devices that are told. Where they read the journal, it carries them.
    private mutating func raiseBadges(but cause: Cause, noting notification: inout QueryNotification) {
        for index in delivery.devices.indices where !cause.isSelf(delivery.devices[index]) {
            delivery.devices[index].raiseBadge()
            guard !hasFeeds else { continue }
            let device = delivery.devices[index]
            notification.badges.append(
                DeviceBadge(device: device.id.rawValue, epoch: device.epoch.rawValue, badge: device.badge))
        }
    }

    /// Counts the hits of an entry that are told one by one: a change makes a bounded number of entries and bytes in the
    /// feeds of all the user's devices together. The first hit of a change always is. Those that are not have not fired:
    /// a subscription that fires once stays.
    private func toldCount(of hits: HitsMessage) -> Int {
        let feeds = max(1, delivery.devices.count)
        let count = max(1, Limits.feedEntriesPerChangeMax / feeds) - Int(hits.first)
        let fitting = max(0, min(hits.hits.count, count))
        // So much cannot come for a few devices: their hits need not be measured.
        if feeds * (Limits.hitBytesPerChangeMax + Limits.messageBytesMax) <= Limits.feedBytesPerChangeMax {
            return fitting
        }
        let whole = Int64(Limits.feedBytesPerChangeMax / feeds)
        var room = whole - max(0, min(hits.bytesBefore, whole + 1))
        for (index, hit) in hits.hits.prefix(fitting).enumerated() {
            room -= Int64(hit.encoded().count)
            if room < 0 { return hits.first == 0 ? max(1, index) : index }
        }
        return fitting
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
