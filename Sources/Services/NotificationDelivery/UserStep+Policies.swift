import CloudMessages
import CloudModel
import EventLog
import ProtocolBuffers

/// Delivery policies: notifications that wait before the feed or before the pushes to a device, and their delivery.
extension UserStep {
    /// The time of the log in which policies count, within bounds that no sum of them leaves.
    private var policyTime: Int64 { max(-Self.timeMax, min(Self.timeMax, logged.milliseconds)) }
    private static let timeMax = Int64(1) << 52

    /// Takes the user's choices for a device.
    mutating func changePolicies(_ event: PoliciesChanged) {
        let epoch = DeviceEpoch(event.epoch)
        guard
            let index = delivery.devices.firstIndex(where: { $0.id.rawValue == event.device && $0.epoch == epoch })
        else { return }
        delivery.choose(event.policies?.policies ?? DevicePolicies(), for: index, at: policyTime)
    }

    /// Holds a notification before the feed, if its policy says so.
    /// - Returns: false if it is to be delivered now.
    mutating func holdBeforeFeed(_ notification: QueryNotification, of hit: Hit, by cause: Cause) -> Bool {
        guard let policy = hit.policy?.policy, policy.shapesFeed, !hit.firesOnce, !notification.isBackfilled else {
            return false
        }
        let held = HeldNotification(notification, at: time.milliseconds, shouldBadge: hit.shouldBadge)
        guard held.isSmall else { return false }
        delivery.holdBeforeFeed(held, of: notification, policy, by: cause, at: policyTime)
        return true
    }

    /// Holds the push of a notification to a device, if a policy says so.
    /// - Parameter own: the subscription's policy, as far as it acts on pushes.
    /// - Returns: false if it is pushed now.
    mutating func holdPush(
        _ notification: QueryNotification, to device: UserDelivery.Device, _ own: DeliveryPolicy?
    ) -> Bool {
        guard !device.addresses.isEmpty else { return false }
        return delivery.holdPush(
            HeldNotification(notification, at: time.milliseconds).trimmed(), of: notification, to: device, own,
            at: policyTime)
    }

    /// Delivers all that is due, and has the next delivery scheduled. The last act of each step.
    /// - Parameter due: the time of the event that a delivery was scheduled for; nil for other events.
    mutating func deliverDue(at due: Int64? = nil) {
        if let due { delivery.noteDelivery(at: due) }
        guard !delivery.holds.isEmpty else { return }
        // The event was published once its time had come, by whatever clock.
        let now = max(policyTime, due.map { min($0, 2 * Self.timeMax) } ?? policyTime)
        while let index = delivery.firstDue(at: now) { release(index, at: now) }
        makeRoom()
        delivery.dropEmptyHolds(at: now)
        guard let next = delivery.schedule(at: policyTime) else { return }
        scheduleDelivery(at: next, delay: max(0, min(next - policyTime, DeliveryPolicy.delayMax)))
    }

    /// Delivers early, first those that are due first, until the others fit.
    private mutating func makeRoom() {
        guard delivery.holdsTooMuch else { return }
        delivery.dropEmptyHolds(at: policyTime, all: true)
        while delivery.holdsTooMuch, let index = delivery.firstDue(at: .max) {
            release(index, at: policyTime, isAll: true)
        }
    }

    private mutating func release(_ index: Int, at now: Int64, isAll: Bool = false) {
        let hold = delivery.holds[index]
        for held in delivery.takeDue(index, at: now, isAll: isAll) {
            guard let notification = held.whole else { continue }
            if hold.device.isEmpty {
                deliver(notification, held, hold)
            } else if let device = delivery.devices.first(where: hold.isBefore) {
                push(notification, held, to: device)
            }
        }
    }

    /// Delivers a notification that was held before the feed.
    private mutating func deliver(_ notification: QueryNotification, _ held: HeldNotification, _ hold: HoldMessage) {
        let cause = Cause(
            device: hold.cause.map { DeviceID(trusted: $0) }, epoch: hold.causeEpoch.map { DeviceEpoch($0) })
        at(held.time) { step in
            step.deliver(
                notification, isBadged: held.shouldBadge, policy: hold.own?.policy.ofPushes, by: cause)
        }
    }

    /// Pushes a notification that was held before the pushes to a device.
    private mutating func push(
        _ notification: QueryNotification, _ held: HeldNotification, to device: UserDelivery.Device
    ) {
        let badge = held.shouldBadge ? device.badge : nil
        let targets = device.addresses.map { device.target($0, badge: badge) }
        at(held.time) { $0.push(notification, to: targets, by: Cause(), wasHeld: true) }
        advance()
    }
}
