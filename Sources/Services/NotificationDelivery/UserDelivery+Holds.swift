import CloudMessages
import CloudModel
import ProtocolBuffers

/// The holds of policies in the state of a user. Times are the log's, in milliseconds.
extension UserDelivery {
    /// True if all holds, as they are stored, have more than `Limits.heldBytesMax` bytes. They are encoded only where a
    /// bound that is quick to add up exceeds it.
    var holdsTooMuch: Bool {
        holds.reduce(0) { $0 + $1.bytesMost } > Limits.heldBytesMax
            && holds.reduce(0) { $0 + $1.encoded().count } > Limits.heldBytesMax
    }

    /// Holds a notification before the feed.
    /// - Parameters:
    ///   - policy: the subscription's.
    ///   - cause: the device that made the change, which is not notified.
    mutating func holdBeforeFeed(
        _ held: HeldNotification, of notification: QueryNotification, _ policy: DeliveryPolicy,
        by cause: UserStep.Cause, at now: Int64
    ) {
        let (device, epoch) = (cause.device?.rawValue, cause.epoch?.rawValue)
        let index =
            holds.firstIndex {
                $0.device.isEmpty && $0.isOf(notification) && $0.cause == device && $0.causeEpoch == epoch
            }
            ?? append(
                HoldMessage(
                    database: notification.database, subscription: notification.subscription, cause: device,
                    causeEpoch: epoch))
        // Quiet hours are a device's, and so is the number of its pushes.
        holds[index].add(
            held, own: policy, under: DeliveryPolicy(policy.grouping), at: now, by: DeviceClock())
    }

    /// Holds a notification before the pushes to a device, if a policy says so.
    /// - Parameter own: the subscription's policy, as far as it acts on pushes.
    /// - Returns: false if it is pushed now.
    mutating func holdPush(
        _ held: @autoclosure () -> HeldNotification, of notification: QueryNotification, to device: Device,
        _ own: DeliveryPolicy?, at now: Int64
    ) -> Bool {
        let known = holds.firstIndex { $0.isBefore(device) && $0.isOf(notification) }
        let policy = device.policies?.policy(of: notification) ?? own ?? DeliveryPolicy()
        if known == nil, policy.isImmediate { return false }
        let index =
            known
            ?? append(
                HoldMessage(
                    device: device.id.rawValue, epoch: device.epoch.rawValue, database: notification.database,
                    subscription: notification.subscription))
        holds[index].add(held(), own: own, under: policy, at: now, by: device.clock)
        return true
    }

    /// - Returns: its place.
    private mutating func append(_ hold: HoldMessage) -> Int {
        holds.append(hold)
        return holds.count - 1
    }

    /// Takes the user's choices for a device, and schedules its holds by them.
    mutating func choose(_ policies: DevicePolicies, for index: Int, at now: Int64) {
        devices[index].policies = policies == DevicePolicies() ? nil : policies
        let device = devices[index]
        for index in holds.indices where holds[index].isBefore(device) {
            let own = holds[index].own?.policy
            holds[index].policy = PolicyMessage(device.policies?.policy(of: holds[index]) ?? own ?? DeliveryPolicy())
            holds[index].schedule(at: now, by: device.clock)
        }
    }

    /// Removes changes whose notifications were read from the holds before pushes.
    mutating func dropHeld(of changes: Set<Int64>) {
        for index in holds.indices where !holds[index].device.isEmpty { holds[index].drop(changes) }
    }

    /// The place of the hold that is due first, up to a time; nil if none is.
    func firstDue(at now: Int64) -> Int? {
        holds.indices.lazy.filter { !holds[$0].held.isEmpty && holds[$0].due <= now }
            .min { (holds[$0].due, $0) < (holds[$1].due, $1) }
    }

    /// Takes the notifications out of a hold that are due; of a device that is gone, all go.
    /// - Parameter isAll: true takes all, whatever the policy says.
    mutating func takeDue(_ index: Int, at now: Int64, isAll: Bool) -> [HeldNotification] {
        var hold = holds[index]
        defer { holds[index] = hold }
        guard !hold.device.isEmpty, let device = devices.first(where: hold.isBefore) else {
            defer { hold.held = [] }
            return hold.device.isEmpty ? hold.held : []
        }
        if !isAll {
            hold.schedule(at: now, by: device.clock)
            guard hold.due <= now else { return [] }
        }
        let due = hold.takeDue(at: now, isAll: isAll)
        hold.schedule(at: now, by: device.clock)
        return due
    }

    /// Forgets empty holds: those without pushes of late, or all of them.
    mutating func dropEmptyHolds(at now: Int64, all: Bool = false) {
        holds.removeAll { all ? $0.held.isEmpty : $0.isOver(at: now) }
    }

    /// Notes that the event for a time has come.
    mutating func noteDelivery(at time: Int64) {
        if let scheduled, scheduled <= time { self.scheduled = nil }
    }

    /// The time for which a delivery has to be scheduled, which is noted; nil if none has. An event that has not come an
    /// hour after its time is lost.
    mutating func schedule(at now: Int64) -> Int64? {
        guard let next = holds.lazy.filter({ !$0.held.isEmpty }).map(\.due).min() else { return nil }
        if let scheduled, scheduled <= next, scheduled > now - HoldMessage.hour { return nil }
        scheduled = next
        return next
    }
}

extension UserDelivery.Device {
    /// Its clock; UTC where it named none.
    var clock: DeviceClock { policies?.clock ?? DeviceClock() }
}

extension DevicePolicies {
    /// The policy that was chosen for a notification; nil for none.
    fileprivate func policy(of notification: QueryNotification) -> DeliveryPolicy? {
        policy(notification.database, notification.subscription)
    }

    /// The policy that was chosen for the subscription of a hold; nil for none.
    fileprivate func policy(of hold: HoldMessage) -> DeliveryPolicy? { policy(hold.database, hold.subscription) }

    private func policy(_ database: Int32, _ subscription: String) -> DeliveryPolicy? {
        chosen.first { $0.database.rawValue == database && $0.subscription.rawValue == subscription }?.policy ?? general
    }
}
