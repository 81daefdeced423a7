import CloudModel
import Synchronization
import Timing

/// A push that was handed to a provider once, with the answer.
struct PushAttempt {
    var sent: Timestamp
    var answered: Timestamp
    var outcome: PushOutcome
}

/// Notes of a sender in its journal.
extension PartitionSender {
    /// Sends a push once.
    func attempt(_ push: OutgoingPush, at provider: any PushProvider) async -> PushAttempt {
        let (sent, began) = (dispatcher.clock.now, Time.now)
        let outcome = await provider.send(push)
        let took = Time.now - began
        let answered = Timestamp(milliseconds: sent.milliseconds + took.milliseconds)
        PushSenderMetrics.answered(provider.kind, with: outcome, at: answered, after: took)
        return PushAttempt(sent: sent, answered: answered, outcome: outcome)
    }

    /// Notes an attempt and its consequence.
    /// - Parameter due: the time from which the push is sent again.
    func note(
        _ attempt: PushAttempt, _ outcome: PushSenderMetrics.Outcome, _ ticket: SendLines.Ticket, _ push: WaitingPush,
        due: Timestamp? = nil
    ) {
        guard let journal = parts.journal else { return }
        var note = note(push, to: ticket.destination, of: ticket.user, outcome)
        note.reason = attempt.outcome.failure?.reason ?? ""
        note.status = attempt.outcome.status
        (note.sent, note.answered, note.due) = (attempt.sent, attempt.answered, due)
        if case .gone(_, let since) = attempt.outcome { note.since = since }
        journal.note(note)
    }

    /// Notes a push that ended unsent.
    func note(_ unsent: UnsentPush) {
        guard let journal = parts.journal else { return }
        switch unsent.end {
        case .dropped(let reason):
            var note = note(unsent.push, to: unsent.destination, of: unsent.user, .dropped)
            note.reason = reason
            journal.note(note)
        case .collapsed(let name):
            var note = note(unsent.push, to: unsent.destination, of: unsent.user, .collapsed)
            note.successor = name
            journal.note(note)
        }
    }

    /// Notes the pushes that ended unsent lately.
    func noteUnsent() {
        guard parts.journal != nil else { return }
        for unsent in state.withLock({ $0.takeUnsent() }) { note(unsent) }
    }

    private func note(
        _ push: WaitingPush, to destination: PushDestination, of user: UserRecordName,
        _ outcome: PushSenderMetrics.Outcome
    ) -> PushNote {
        PushNote(
            name: push.name, destination: destination, user: user, outcome: outcome, merged: push.merged,
            tries: push.tries, handed: push.handed, noted: dispatcher.clock.now)
    }
}
