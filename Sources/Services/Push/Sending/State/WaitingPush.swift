import CloudMessages
import CloudModel
import EventLog

/// A push that waits for a destination, with the number of notifications that it stands for.
struct WaitingPush: Hashable, Sendable {
    /// The name of its entry in `pushes`.
    var name: SourcePosition
    /// The number of notifications that it stands for.
    var merged = 1
    /// The newest badge; nil leaves it as it is.
    var badge: Int64?
    /// True for an alert, a sound or a badge.
    var isVisible: Bool
    /// The time of the change.
    var time: Timestamp
    /// The number of times that it was sent in vain.
    var tries = 0
    /// It is not sent before.
    var due = Timestamp(milliseconds: 0)
    /// With its contents it was too large for the provider.
    var isWithoutContents = false
    /// The sequence of the address's registration, which the table of addresses has to have reached.
    var sequence = CommitSequence.zero
    /// The encoded `PushEntry` with this one target; nil while only `push-state` has it.
    var content: [UInt8]?
    /// The time at which the sender took it; nil for one that another sender took.
    var handed: Timestamp?

    /// The push that is sent in place of this one and a newer one: the newest visible one with the newest badge, or of
    /// two silent ones the newer. Pauses go on.
    func merged(with newer: WaitingPush) -> WaitingPush {
        var result = newer.isVisible || !isVisible ? newer : self
        result.merged = merged + newer.merged
        result.badge = newer.badge ?? badge
        result.sequence = max(sequence, newer.sequence)
        result.tries = tries
        result.due = max(due, newer.due)
        return result
    }
}

extension WaitingPush {
    /// Reads a stored one.
    /// - Throws: `MalformedMessage`.
    init(_ message: WaitingPushMessage) throws {
        guard let name = message.source?.position else { throw MalformedMessage("a waiting push without a source") }
        self.init(
            name: name, merged: Int(clamping: max(1, message.merged)), badge: message.badge,
            isVisible: message.isVisible, time: Timestamp(milliseconds: message.time),
            tries: Int(max(0, message.tries)), due: Timestamp(milliseconds: message.due),
            isWithoutContents: message.withoutContents, sequence: CommitSequence(message.sequence))
    }

    /// The form in which it is stored.
    var message: WaitingPushMessage {
        WaitingPushMessage(
            source: SourcePositionMessage(name), merged: Int64(merged), badge: badge, isVisible: isVisible,
            time: time.milliseconds, tries: Int32(clamping: tries), due: due.milliseconds,
            withoutContents: isWithoutContents, sequence: sequence.rawValue)
    }
}
