import CloudMessages
import CloudModel
import EventLog

/// A push that waits for a destination, with the numbers of notifications and changes that it stands for.
///
/// A mark stands for none: the badge was set, or notifications were read, and nothing else. It never takes the place of a
/// notification, which carries its badge and its IDs.
struct WaitingPush: Hashable, Sendable {
    /// The name of its entry in `pushes`.
    var name: SourcePosition
    /// The time that a push of read notifications alone is worth something.
    static let readMarkLifetime = Duration.seconds(60)

    /// The number of notifications that it stands for; 1 for a mark.
    var merged = 1
    /// The number of changes that those notifications stand for; 1 for a mark.
    var changes = 1
    var isMark = false
    /// The newest changes whose notifications were read.
    var read: [Int64] = []
    /// The newest badge; nil leaves it as it is.
    var badge: Int64?
    /// The offset of its entry in `pushes`; nil for one that was found in a journal.
    var offset: Int64?
    /// True for an alert, a sound or a badge of its own.
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

    /// True if the user notices it: also by a badge that was set after it.
    var isShown: Bool { isVisible || badge != nil }

    /// True if it says that notifications were read, and nothing else.
    var isReadMark: Bool { isMark && !isShown }

    /// The push that is sent in place of this one and a newer one: a notification before a mark, of notifications the
    /// newest visible one, else the newer; with the newest badge and the newest IDs, and the changes of both. Pauses go
    /// on.
    func merged(with newer: WaitingPush) -> WaitingPush {
        let isNewer = isMark == newer.isMark ? newer.isVisible || !isVisible || isMark : isMark
        var result = isNewer && !Mistake.olderPushIsSent.isMade ? newer : self
        if !isMark, !newer.isMark {
            result.merged = merged + newer.merged
            let (sum, isTooMuch) = changes.addingReportingOverflow(newer.changes)
            result.changes = isTooMuch ? .max : sum
        }
        result.badge = newer.badge ?? badge
        result.read = Array((read + newer.read).suffix(Limits.pushedReadMarksMax))
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
            name: name, merged: Int(clamping: max(1, message.merged)),
            changes: Int(clamping: max(1, message.merged, message.changes)), isMark: message.isMark,
            read: message.read, badge: message.badge, offset: message.offset, isVisible: message.isVisible,
            time: Timestamp(milliseconds: message.time),
            tries: Int(max(0, message.tries)), due: Timestamp(milliseconds: message.due),
            isWithoutContents: message.withoutContents, sequence: CommitSequence(message.sequence))
    }

    /// The form in which it is stored.
    var message: WaitingPushMessage {
        WaitingPushMessage(
            source: SourcePositionMessage(name), merged: Int64(merged), badge: badge, isVisible: isVisible,
            time: time.milliseconds, tries: Int32(clamping: tries), due: due.milliseconds,
            withoutContents: isWithoutContents, sequence: sequence.rawValue, read: read, isMark: isMark,
            offset: offset, changes: Int64(changes))
    }
}
