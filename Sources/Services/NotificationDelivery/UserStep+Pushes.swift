import CloudMessages
import CloudModel
import EventLog
import ProtocolBuffers

/// The entries of `pushes`.
extension UserStep {
    /// Appends a notification for those of its devices that have an address; nothing where none has.
    /// - Parameter wasHeld: true if the journal has it since earlier.
    mutating func push(
        _ notification: QueryNotification, to targets: [PushTarget], by cause: Cause, wasHeld: Bool = false
    ) {
        namePush(isAlone: wasHeld)
        append(PushEntry(notification: notification, targets: targets), named: name, by: cause)
    }

    /// Appends a badge, read marks or a count for the devices with an address, but for the one that caused it.
    /// - Parameters:
    ///   - content: `omitted`, `read` or neither, where `badge` is set.
    ///   - name: that of the journal's entry; nil for the current one.
    ///   - devices: nil for all of the user's.
    mutating func pushToAddresses(
        _ content: PushEntry, named name: SourcePosition? = nil, badge: Int64? = nil,
        of devices: [UserDelivery.Device]? = nil, by cause: Cause
    ) {
        var entry = content
        for device in devices ?? delivery.devices where !cause.isSelf(device) {
            entry.targets += device.addresses.map { device.target($0, badge: badge) }
        }
        // Older readers pass entries with hints by.
        entry.hints = [FeedHint()]
        append(entry, named: name ?? self.name, by: cause)
    }

    private mutating func append(_ content: PushEntry, named name: SourcePosition, by cause: Cause) {
        guard !content.targets.isEmpty else { return }
        var entry = content
        entry.source = SourcePositionMessage(name)
        entry.user = delivery.user.rawValue
        entry.time = time.milliseconds
        entry.device = cause.device?.rawValue
        entry.epoch = cause.epoch?.rawValue
        outputs.pushes.append(
            OutgoingEntry(
                delivery.layout.pushes(of: delivery.user), key: delivery.layout.userKey(delivery.user),
                value: entry.encoded(), headers: headers("push", named: name), timestamp: LogTimestamp(time)))
    }
}

extension UserDelivery.Device {
    /// The device as a target of a push.
    func target(_ courier: UserDelivery.Courier, badge: Int64?) -> PushTarget {
        PushTarget(
            device: id.rawValue, epoch: epoch.rawValue, courier: courier.kind.rawValue, badge: badge,
            since: courier.since?.rawValue ?? 0)
    }
}
