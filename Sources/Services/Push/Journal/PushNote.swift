import CloudModel
import EventLog

/// One thing that happened to a push: it was sent, or it ended unsent.
package struct PushNote: Sendable {
    /// The name of its entry in `pushes`.
    var name: SourcePosition
    var destination: PushDestination
    /// The user of the device.
    var user: UserRecordName
    var outcome: PushSenderMetrics.Outcome
    /// A word of a closed set; empty for none.
    var reason = ""
    /// The status of the provider's answer; nil where none came, or only its class is known.
    var status: Int?
    /// The number of notifications that the push stands for.
    var merged: Int
    /// The number of times that it was sent in vain before.
    var tries: Int
    /// The time at which the sender took it; nil for one that another sender took.
    var handed: Timestamp?
    /// The time at which it was handed to the provider; nil for one that was not.
    var sent: Timestamp?
    /// The time of the answer, or of the failure.
    var answered: Timestamp?
    /// The time from which it is sent again; nil for one that is not.
    var due: Timestamp?
    /// The time since which the provider reports the address as gone.
    var since: Timestamp?
    /// The name of the push that stands for it.
    var successor: SourcePosition?
    /// The time of the note.
    var noted: Timestamp
}
