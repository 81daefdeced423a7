import CloudMessages
import CloudModel
import EventLog
import ProtocolBuffers

/// The state of one destination.
struct PushPlace: Sendable {
    /// The user of the device.
    var user: UserRecordName
    /// The name of the last push that was settled.
    var settled: SourcePosition?
    /// The sequence of the last known registration of the address.
    var sequence = CommitSequence.zero
    /// The push that is sent next.
    var waiting: WaitingPush?
    /// The push that the provider has been handed, without an answer so far.
    var inFlight: WaitingPush?
    /// The marks that were not sent.
    var unsent = UnsentMarks()
    /// The silent pushes of late.
    var silent = SilentBudget()
    /// True while it is in a queue of `SendLines`, or on its way there.
    var isListed = false
    /// The time at which the rate of silent pushes lets the next one through; nil where nothing waits for it.
    var heldUntil: Timestamp?
    /// True if the device has no address: its row is removed with the next commit.
    var isForgotten = false
    /// The name of the notification in `push-state`: as it was last given to a commit, and as it is committed.
    var writtenContent: SourcePosition?
    var storedContent: SourcePosition?

    init(user: UserRecordName) { self.user = user }

    /// The push that waits after a crash: one in flight may have been sent or not.
    var pending: WaitingPush? {
        guard let inFlight else { return waiting }
        return waiting.map { inFlight.merged(with: $0) } ?? inFlight
    }

    /// Returns true if a push of a name was settled, is in flight or waits, or a later one.
    func hasPassed(_ name: SourcePosition) -> Bool {
        [settled, inFlight?.name, waiting?.name].contains { $0?.source == name.source && !name.isAbove($0!) }
    }

    /// The time from which the waiting push may be sent.
    var due: Timestamp? { waiting.map { max($0.due, heldUntil ?? $0.due) } }

    /// Reads a stored row, without the content.
    /// - Throws: `MalformedMessage`, `MessageError`.
    init(decoding bytes: [UInt8]) throws {
        let message = try PushStateMessage(decoding: bytes)
        user = UserRecordName(trusted: message.user)
        settled = message.settled?.position
        sequence = CommitSequence(message.sequence)
        waiting = try message.waiting.map { try WaitingPush($0) }
        silent = SilentBudget(used: Int(message.silent), at: Timestamp(milliseconds: message.silentTime))
        unsent = UnsentMarks(read: message.read, badge: message.badge)
    }

    /// The row as it is stored.
    var encoded: [UInt8] {
        PushStateMessage(
            user: user.rawValue, settled: settled.map { SourcePositionMessage($0) }, waiting: pending?.message,
            silent: Int32(silent.used), silentTime: silent.isFull ? 0 : silent.time.milliseconds,
            sequence: sequence.rawValue, read: unsent.read, badge: unsent.badge
        ).encoded()
    }
}
