import CloudModel
import EventLog

/// A push that ended without being sent.
struct UnsentPush: Sendable {
    /// The reason.
    enum End: Hashable, Sendable {
        /// It was dropped, for a reason in a word.
        case dropped(String)
        /// The push of this name stands for it.
        case collapsed(SourcePosition)
    }

    var destination: PushDestination
    var user: UserRecordName
    var push: WaitingPush
    var end: End
}
