import CloudMessages
import CloudModel
import EventLog
import ProtocolBuffers

/// Delivery policies: what is held before the feed or before the pushes to a device, and delivered when it is due.
extension UserStep {
    /// The time of the log in which policies count, within bounds that no sum of them leaves.
    var policyTime: Int64 { max(-Self.timeMax, min(Self.timeMax, logged.milliseconds)) }
    private static let timeMax = Int64(1) << 52
    private static let hour = Int64(3_600_000)
    /// Milliseconds that a scheduled event is waited for at most: two days of a window and quiet hours, and one more.
    private static let delayMax = 72 * hour

    /// Takes the user's choices for a device.
    mutating func changePolicies(_ event: PoliciesChanged) {
        let epoch = DeviceEpoch(event.epoch)
        guard
            let index = delivery.devices.firstIndex(where: { $0.id.rawValue == event.device && $0.epoch == epoch })
        else { return }
        let policies = event.policies?.policies ?? DevicePolicies()
        delivery.devices[index].policies = policies == DevicePolicies() ? nil : policies
        let device = delivery.devices[index]
        for index in delivery.holds.indices where delivery.holds[index].isBefore(device) {
            let hold = delivery.holds[index]
            let policy = device.policies?.policy(of: hold) ?? hold.own?.policy.ofPushes ?? DeliveryPolicy()
            delivery.holds[index].policy = PolicyMessage(policy)
            delivery.holds[index].schedule(at: policyTime, by: device.clock)
        }
    }

    /// Holds a notification before the feed, if its policy says so.
    /// - Returns: false if it is to be delivered now.
    mutating func holdBeforeFeed(_ notification: QueryNotification, of hit: Hit, by cause: Cause) -> Bool {
        guard let policy = hit.policy?.policy, policy.shapesFeed, !hit.firesOnce, !notification.isBackfilled else {
            return false
        }
        let held = HeldNotification(notification, at: time.milliseconds, shouldBadge: hit.shouldBadge)
        guard held.isSmall else { return false }
        let index = place {
            $0.device.isEmpty && $0.isOf(notification) && $0.cause == cause.device?.rawValue
                && $0.causeEpoch == cause.epoch?.rawValue
        } making: {
            HoldMessage(
                database: notification.database, subscription: notification.subscription,
                cause: cause.device?.rawValue, causeEpoch: cause.epoch?.rawValue)
        }
        delivery.holds[index].own = PolicyMessage(policy)
        delivery.holds[index].policy = PolicyMessage(policy.ofFeed)
        delivery.holds[index].add(held, at: policyTime)
        delivery.holds[index].schedule(at: policyTime, by: DeviceClock())
        return true
    }

    /// Holds the push of a notification to a device, if a policy says so.
    /// - Parameter policy: the subscription's, as far as it acts on pushes.
    /// - Returns: false if it is pushed now.
    mutating func holdPush(
        _ notification: QueryNotification, to device: UserDelivery.Device, _ own: DeliveryPolicy?
    ) -> Bool {
        guard device.couriers.contains(where: { $0.since != nil }) else { return false }
        let known = delivery.holds.firstIndex { $0.isBefore(device) && $0.isOf(notification) }
        let policy = device.policies?.policy(of: notification) ?? own ?? DeliveryPolicy()
        if known == nil, policy.isImmediate { return false }
        let held = HeldNotification(notification, at: time.milliseconds).trimmed()
        let index = place {
            $0.isBefore(device) && $0.isOf(notification)
        } making: {
            HoldMessage(
                device: device.id.rawValue, epoch: device.epoch.rawValue, database: notification.database,
                subscription: notification.subscription)
        }
        delivery.holds[index].own = own.map { PolicyMessage($0) }
        delivery.holds[index].policy = PolicyMessage(policy)
        delivery.holds[index].add(held, at: policyTime)
        delivery.holds[index].schedule(at: policyTime, by: device.clock)
        return true
    }

    /// Removes what is held before pushes of notifications that were read.
    mutating func dropHeld(of changes: Set<Int64>) {
        for index in delivery.holds.indices where !delivery.holds[index].device.isEmpty {
            delivery.holds[index].drop(changes)
        }
    }

    /// Delivers all that is due, and has the next delivery scheduled. The last act of each step.
    /// - Parameter due: the time of the event that a delivery was scheduled for; nil for other events.
    mutating func deliverDue(at due: Int64? = nil) {
        if let due, let scheduled = delivery.scheduled, scheduled <= due { delivery.scheduled = nil }
        // Nobody can be ahead of the clock that named the time, which another clock may not have reached.
        let now = max(policyTime, due.map { min($0, 2 * Self.timeMax) } ?? policyTime)
        while let index = nextDue(at: now) { release(index, at: now) }
        if delivery.heldBytes > Limits.heldBytesMax { delivery.holds.removeAll(where: \.held.isEmpty) }
        while delivery.heldBytes > Limits.heldBytesMax, let index = nextDue(at: .max) { release(index, at: nil) }
        delivery.holds.removeAll { $0.isOver(at: now) }
        schedule(at: policyTime)
    }

    private func nextDue(at now: Int64) -> Int? {
        delivery.holds.indices.filter { !delivery.holds[$0].held.isEmpty && delivery.holds[$0].due <= now }
            .min { (delivery.holds[$0].due, $0) < (delivery.holds[$1].due, $1) }
    }

    /// - Parameter now: nil delivers all, whatever the policy says.
    private mutating func release(_ index: Int, at now: Int64?) {
        let hold = delivery.holds[index]
        if hold.device.isEmpty {
            delivery.holds[index].held = []
            for held in hold.held { deliverHeld(held, hold) }
            return
        }
        guard let device = delivery.devices.first(where: hold.isBefore) else {
            delivery.holds[index].held = []
            return
        }
        if let now {
            delivery.holds[index].schedule(at: now, by: device.clock)
            guard delivery.holds[index].due <= now else { return }
        }
        let time = now ?? policyTime
        for held in delivery.holds[index].takeDue(at: time, isAll: now == nil) { pushHeld(held, to: device) }
        delivery.holds[index].schedule(at: time, by: device.clock)
    }

    /// Delivers a notification that was held before the feed.
    private mutating func deliverHeld(_ held: HeldNotification, _ hold: HoldMessage) {
        guard let notification = held.whole else { return }
        let cause = Cause(
            device: hold.cause.map { DeviceID(trusted: $0) }, epoch: hold.causeEpoch.map { DeviceEpoch($0) })
        at(held.time) { step in
            step.deliver(
                notification, isBadged: held.shouldBadge, policy: hold.own?.policy.ofPushes, by: cause)
        }
    }

    /// Pushes a notification that was held before the pushes to a device.
    private mutating func pushHeld(_ held: HeldNotification, to device: UserDelivery.Device) {
        guard let notification = held.whole else { return }
        let badge = held.shouldBadge ? device.badge : nil
        let targets = device.couriers.filter { $0.since != nil }.map { device.target($0, badge: badge) }
        at(held.time) { $0.push(notification, to: targets, by: Cause()) }
        advance()
    }

    /// Has an event come when the next notification is due. One that has not come an hour after its time is lost.
    private mutating func schedule(at now: Int64) {
        guard let next = delivery.holds.filter({ !$0.held.isEmpty }).map(\.due).min() else { return }
        if let scheduled = delivery.scheduled, scheduled <= next, scheduled > now - Self.hour { return }
        delivery.scheduled = next
        scheduleDelivery(at: next, delay: max(0, min(next - now, Self.delayMax)))
    }

    /// The place of a hold, which is made where there is none.
    private mutating func place(where isIt: (HoldMessage) -> Bool, making new: () -> HoldMessage) -> Int {
        if let index = delivery.holds.firstIndex(where: isIt) { return index }
        delivery.holds.append(new())
        return delivery.holds.count - 1
    }
}

extension UserDelivery {
    /// Bytes of what is held, as they are stored.
    var heldBytes: Int { holds.reduce(0) { $0 + $1.encoded().count } }
}

extension UserDelivery.Device {
    /// Its clock; UTC where it named none.
    var clock: DeviceClock { policies?.clock ?? DeviceClock() }
}

extension DevicePolicies {
    /// The policy that was chosen for a notification; nil for none.
    func policy(of notification: QueryNotification) -> DeliveryPolicy? {
        policy(notification.database, notification.subscription)
    }

    /// The policy that was chosen for the subscription of a hold; nil for none.
    func policy(of hold: HoldMessage) -> DeliveryPolicy? { policy(hold.database, hold.subscription) }

    private func policy(_ database: Int32, _ subscription: String) -> DeliveryPolicy? {
        chosen.first { $0.database.rawValue == database && $0.subscription.rawValue == subscription }?.policy ?? general
    }
}

extension DeliveryPolicy {
    /// The part that acts before the feed: quiet hours are a device's, and so is the number of its pushes.
    fileprivate var ofFeed: DeliveryPolicy { DeliveryPolicy(grouping) }
}
