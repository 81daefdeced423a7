import CloudMessages
import CloudModel
import EventLog
import ProtocolBuffers

/// A push of an entry of `pushes` for one destination.
struct PushArrival {
    var destination: PushDestination
    var user: UserRecordName
    var push: WaitingPush

    /// Reads an entry: an arrival for each target; none for an entry of hints.
    /// - Throws: `MalformedMessage`, `MessageError`.
    static func reading(_ bytes: [UInt8]) throws -> [PushArrival] {
        let message = try PushEntry(decoding: bytes)
        if !message.hints.isEmpty, message.notification == nil { return [] }
        guard let name = message.source?.position else { throw MalformedMessage("a push without a source") }
        return try zip(message.targets, PushCursor.pushes(of: message, name)).map { target, push in
            var own = message
            (own.targets, own.hints) = ([target], [])
            return PushArrival(
                destination: PushDestination(device: push.device, epoch: push.epoch, kind: push.courier),
                user: push.notification.subject.user,
                push: WaitingPush(
                    name: name, badge: target.badge, isVisible: isVisible(push.notification),
                    time: push.notification.changed,
                    sequence: CommitSequence(target.since), content: own.encoded()))
        }
    }

    /// Returns true for a notification with an alert, a sound or a badge.
    private static func isVisible(_ notification: Notification) -> Bool {
        guard case .query(let content) = notification.content else { return false }
        return PushPayload(
            whole: "", container: ContainerIdentifier(trusted: ""), subscription: content.subscription,
            detail: .zone(content.zone), appearance: content.appearance, badge: content.badge
        ).delivery.pushType == .alert
    }
}
