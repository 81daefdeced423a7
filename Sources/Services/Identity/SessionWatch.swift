import CloudModel
import Waiting

/// A session that was valid a moment ago, and a watch for revocations of its user since.
package struct SessionWatch: Sendable {
    let bell: Bell<UserRecordName>
    let ticket: Bell<UserRecordName>.Ticket
    let user: UserRecordName
    /// The time after which the session has to be asked for again in any case.
    package let patience: Duration

    /// Calls `body` once when something is taken back; at once where it was already.
    package func whenTakenBack(_ body: @escaping @Sendable () -> Void) { ticket.whenRung(body) }

    /// Waits until something is taken back, or the task is cancelled.
    func wait() async { await bell.wait(ticket, for: user) }

    /// Watches no longer.
    package func drop() { bell.drop(ticket, for: user) }
}
