import CloudMessages
import CloudModel
import EventLog
import ProtocolBuffers

/// A push of an entry of `pushes` for one destination.
struct PushArrival {
    var destination: PushDestination
    var user: UserRecordName
    var push: WaitingPush

    /// Reads an entry: an arrival for each target; none for one with hints in which nothing is known to this version.
    /// - Parameter offset: that of the entry; nil for one that was found in a journal.
    /// - Throws: `MalformedMessage`, `MessageError`.
    static func reading(_ bytes: [UInt8], at offset: Int64? = nil) throws -> [PushArrival] {
        let message = try PushEntry(decoding: bytes)
        guard let content = try PushedContent(message) else {
            guard message.hints.isEmpty else { return [] }
            throw MalformedMessage("a push without a content that this version knows")
        }
        guard let name = message.source?.position else { throw MalformedMessage("a push without a source") }
        return message.targets.map { target in
            var own = message
            (own.targets, own.hints) = ([target], [])
            let destination = PushDestination(
                device: DeviceID(trusted: target.device), epoch: DeviceEpoch(target.epoch),
                kind: CourierKind(target.courier))
            return PushArrival(
                destination: destination, user: UserRecordName(trusted: message.user),
                push: WaitingPush(
                    name: name, changes: content.changeCount, isMark: content.isMark, read: message.read,
                    badge: target.badge, offset: offset,
                    isVisible: content.isVisible(badge: target.badge), time: Timestamp(milliseconds: message.time),
                    sequence: CommitSequence(target.since), content: own.encoded()))
        }
    }
}
