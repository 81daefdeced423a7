#if canImport(Glibc)
    import Glibc
#endif

/// The steps between which a crash must lose and double nothing: a test lets the process end itself at one of them.
///
/// `FANFARE_KILL_AT=deliver-committed:3` ends it by SIGKILL at the third time that the step is reached, the first
/// without a number; several are separated by commas. `FANFARE_STOP_AT` stops it by SIGSTOP instead: after SIGCONT it
/// goes on as a process whose place others took meanwhile. Without the two variables a step costs a comparison.
package enum KillPoint: String, CaseIterable, Sendable {
    // MARK: Record service

    /// A transaction is committed to the store; the client has no answer yet.
    case storeCommitted = "store-committed"
    /// The relay has published a part of what it read; the rest waits for these acknowledgements.
    case relayStepPublished = "relay-step-published"
    /// The relay has published all that it read; the outbox has the rows still.
    case relayPublished = "relay-published"
    /// The published rows are removed from the outbox.
    case relayRemoved = "relay-removed"
    /// A command of delivery is applied, with its position.
    case commandApplied = "command-applied"

    // MARK: Stage 1

    /// Hits are acknowledged; the position of their changes is noted nowhere.
    case matchAppended = "match-appended"
    /// Positions are about to be committed.
    case matchCommitting = "match-committing"
    /// Positions are committed.
    case matchCommitted = "match-committed"

    /// Hits of a subscription's backfill are acknowledged; the progress of the backfill is not stored yet.
    case pastDelivered = "past-delivered"
    /// The mark at the end of a partition's share of a backfill is acknowledged; that it is done is not stored yet.
    case pastDone = "past-done"

    // MARK: Stage 2

    /// A partition is taken over; nothing is read from it yet.
    case deliverTakenOver = "deliver-taken-over"
    /// Journals and commands are acknowledged; pushes are not written.
    case deliverJournalsWritten = "deliver-journals-written"
    /// Everything of a step is acknowledged; state and position are not committed.
    case deliverWritten = "deliver-written"
    /// State and position are committed.
    case deliverCommitted = "deliver-committed"

    /// Hits that had waited for a backfill are acknowledged; the state that says so is noted, and not committed. There
    /// may be more of them.
    case heldReleased = "held-released"

    // MARK: Push senders

    /// A provider has answered a push; the outcome is noted nowhere.
    case pushAnswered = "push-answered"
    /// Outcomes and waiting pushes are noted and about to be committed.
    case pushCommitting = "push-committing"
    /// They are committed.
    case pushCommitted = "push-committed"

    // MARK: Repair

    /// `repair` has done all its steps; that store and log belong together is not noted.
    case repairPrepared = "repair-prepared"
    /// `feeds migrate` has moved all journals; that they are moved is not noted.
    case feedsMoved = "feeds-moved"

    // MARK: Devices

    /// `device-client` has a page; nothing of it is printed.
    case readerFetched = "reader-fetched"
    /// `device-client` has printed a page, or written it to its file; the token beside it is the one before.
    case readerPrinted = "reader-printed"

    /// Ends or stops this process if the environment says so.
    package static func reach(_ point: KillPoint) {
        for order in orders where order.isMet(by: point) { order.carryOut(at: point) }
    }

    private static let orders: [KillOrder] = [
        KillOrder(environment: "FANFARE_KILL_AT", signal: SIGKILL),
        KillOrder(environment: "FANFARE_STOP_AT", signal: SIGSTOP),
    ].compactMap { $0 }
}
