import CloudMessages
import CloudModel
import EventLog
import Poison
import ProtocolBuffers
import Stages
import Synchronization
import Telemetry
import Waiting

/// The sending of one push.
extension PartitionSender {
    /// Sends the push that waits for a destination now, and notes the outcome.
    func send(_ ticket: SendLines.Ticket) async {
        sending.withLock { $0 += 1 }
        let end = await sendNow(ticket)
        dispatcher.finish(ticket, end.effect, isSlow: end.isSlow, connectsOften: end.connectsOften)
        sending.withLock { $0 -= 1 }
        for ring in [Ring.answered, .ready, .changed] { bell.ring(ring) }
        if state.withLock({ $0.settledCount }) >= parts.settings.commitCount { bell.ring(.full) }
    }

    /// The end of a sending, for other pushes.
    private struct Ending {
        var effect: OutcomeRule.Effect
        var isSlow = false
        var connectsOften = false
    }

    /// A provider that takes longer is slow.
    private static let slow = Duration.seconds(2)

    private func sendNow(_ ticket: SendLines.Ticket) async -> Ending {
        let destination = ticket.destination
        // It does not wait here: it has a place of its line, which other partitions send on.
        guard hasRoomToSettle else {
            state.withLock { $0.unlist(destination, at: dispatcher.clock.now) }
            return Ending(effect: .none)
        }
        guard !hasEnded, let (found, push, asSilent) = await start(ticket) else { return Ending(effect: .none) }
        if let offset = push.offset, watch?.isSetAside(offset) == true {
            settle(destination, push, .dropped, "setAside")
            note(UnsentPush(destination: destination, user: ticket.user, push: push, end: .dropped("setAside")))
            return Ending(effect: .none)
        }
        let made = watch.blame(push.offset ?? -1) { outgoing(push, to: destination, found, asSilent) }
        guard let provider = parts.providers[destination.kind], let outgoing = made else {
            settle(destination, push, .dropped, "malformed")
            note(UnsentPush(destination: destination, user: ticket.user, push: push, end: .dropped("malformed")))
            return Ending(effect: .none)
        }
        var atOnce = 0
        // Looking the address up may have lasted until another sender has the partition. The push waits in the state.
        while !hasEnded {
            if atOnce > 0 || push.tries > 0 { PushSenderMetrics.count(destination.kind, .repeated) }
            let attempt = await self.attempt(outgoing, at: provider)
            let outcome = attempt.outcome
            KillPoint.reach(.pushAnswered)
            let doubt = note(outcome, ticket)
            let (verdict, effect) = OutcomeRule.judge(
                outcome, of: push, registered: found.registered, doubt: doubt, atOnce: atOnce,
                isLineOpen: dispatcher.isOpen(ticket.queue), jitter: dispatcher.jitter())
            if case .atOnce(let failure) = verdict {
                PushSenderMetrics.count(destination.kind, .failed, failure.reason)
                note(attempt, .failed, ticket, push, due: attempt.answered)
                atOnce += 1
                continue
            }
            await follow(verdict, ticket, push, found, attempt)
            let connections = provider.connectionsLately(of: ticket.queue.line)
            return Ending(
                effect: effect,
                isSlow: attempt.answered.milliseconds - attempt.sent.milliseconds > Self.slow.milliseconds,
                connectsOften: connections > PushDispatcher.connectionsMax)
        }
        return Ending(effect: .none)
    }

    /// Looks the address up once more, as it may be another one by now, and begins.
    private func start(
        _ ticket: SendLines.Ticket
    ) async -> (address: RegisteredPushAddress, push: WaitingPush, asSilent: Bool)? {
        let destination = ticket.destination
        while true {
            guard let (sequence, found) = await sequencedAddress(of: destination) else { return nil }
            guard let found, let provider = parts.providers[destination.kind] else {
                drop(destination, "noAddress", isForgotten: true)
                return nil
            }
            if provider.line(of: found.address) != ticket.queue.line
                || provider.credential(of: found.address) != ticket.queue.credential
            {
                state.withLock { $0.unlist(destination, at: dispatcher.clock.now) }
                return nil
            }
            let terms = terms(found, reached: sequence)
            let start = state.withLock { $0.start(destination, on: terms, at: dispatcher.clock.now) }
            switch start {
            case .send(let push, let asSilent): return (found, push, asSilent)
            case .lookUp: continue
            case .load:
                bell.ring(.wanted)
                return nil
            case .expired, .unwanted:
                PushSenderMetrics.count(destination.kind, .dropped, start == .expired ? "expired" : "silent")
                noteUnsent()
                return nil
            case .later, .nothing: return nil
            }
        }
    }

    private func terms(_ found: RegisteredPushAddress, reached: CommitSequence) -> SenderState.Terms {
        let (settings, kind) = (parts.settings, found.address.kind)
        return SenderState.Terms(
            reached: reached, isThrottled: found.isThrottled,
            isSilentWhenBehind: found.address.isSilentWhenBehind && found.takesSilent, takesSilent: found.takesSilent,
            lifetime: { settings.lifetime(of: kind, isVisible: $0) })
    }

    /// The address of a destination, and its user; nil where nothing waits, or the table cannot be read now.
    func address(
        of destination: PushDestination
    ) async -> (user: UserRecordName, address: RegisteredPushAddress?)? {
        guard let wish = state.withLock({ $0.wish(destination) }),
            let (_, address) = await sequencedAddress(of: destination)
        else { return nil }
        return (wish.user, address)
    }

    private func sequencedAddress(
        of destination: PushDestination
    ) async -> (reached: CommitSequence, address: RegisteredPushAddress?)? {
        guard let wish = state.withLock({ $0.wish(destination) }) else {
            state.withLock { $0.unlist(destination, at: dispatcher.clock.now) }
            return nil
        }
        do {
            let address = try await parts.addresses.address(
                of: destination.device, destination.epoch, destination.kind, user: wish.user, atLeast: wish.sequence)
            return (wish.sequence, address)
        } catch {
            Log.warning("sender.address.failed", ["kind": "\(destination.kind)", "error": "\(error)"])
            let now = dispatcher.clock.now
            state.withLock {
                $0.unlist(destination, until: Timestamp(milliseconds: now.milliseconds + 1000), at: now)
            }
            bell.ring(.ready)
            return nil
        }
    }

    /// The push as the provider takes it; nil for a notification that makes none.
    private func outgoing(
        _ push: WaitingPush, to destination: PushDestination, _ found: RegisteredPushAddress, _ asSilent: Bool
    ) -> OutgoingPush? {
        guard let bytes = push.content, let message = try? PushEntry(decoding: bytes),
            let content = try? PushedContent(message)
        else { return nil }
        var payload = parts.payloads.payload(
            content, of: UserRecordName(trusted: message.user), badge: asSilent ? nil : push.badge, read: push.read,
            asSilent: asSilent)
        // More than the notification's own where the push stands for others.
        payload.changeCount = max(payload.changeCount, push.changes)
        let isVisible = push.isShown && !asSilent
        let lifetime = terms(found, reached: push.sequence).lifetime(of: push, isVisible: isVisible)
        var outgoing = OutgoingPush(
            id: PushID(of: push.name, to: destination.device, destination.epoch, kind: destination.kind),
            address: found.address, contents: push.isWithoutContents ? .none : found.contents, payload: payload,
            isVisible: isVisible, collapseID: payload.delivery.collapseID, merged: push.merged,
            expires: Timestamp(milliseconds: push.time.milliseconds + lifetime.milliseconds))
        outgoing.isReadMark = push.isReadMark
        return outgoing
    }

    // MARK: Outcomes

    private func note(_ outcome: PushOutcome, _ ticket: SendLines.Ticket) -> AddressDoubt {
        switch outcome {
        case .doubtful: dispatcher.note(ticket, isRefused: true)
        case .accepted, .gone: dispatcher.note(ticket, isRefused: false)
        case .dropped, .misconfigured, .tooLarge, .failed: AddressDoubt()
        }
    }

    private func follow(
        _ verdict: OutcomeRule.Verdict, _ ticket: SendLines.Ticket, _ push: WaitingPush,
        _ found: RegisteredPushAddress, _ attempt: PushAttempt
    ) async {
        let destination = ticket.destination
        if verdict.isNoted {
            parts.addresses.note(attempt.outcome, of: found, of: destination.device, at: dispatcher.clock.now)
        }
        switch verdict {
        case .sent:
            settle(destination, push, .sent, "")
            note(attempt, .sent, ticket, push)
        case .dropped(let failure):
            settle(destination, push, .dropped, failure.reason)
            note(attempt, .dropped, ticket, push)
        case .removed(let failure):
            do {
                try await parts.addresses.remove(
                    found, of: destination.device, destination.epoch, user: ticket.user, for: failure)
                settle(destination, push, .removed, failure.reason)
                note(attempt, .removed, ticket, push)
            } catch {
                Log.warning("sender.removal.failed", ["kind": "\(destination.kind)", "error": "\(error)"])
                note(attempt, .failed, ticket, push, due: again(destination, after: .seconds(1), tries: push.tries + 1))
            }
        case .again(let pause, let tries, let failure):
            PushSenderMetrics.count(destination.kind, .failed, failure.reason)
            note(attempt, .failed, ticket, push, due: again(destination, after: pause, tries: tries))
        case .withoutContents(let failure):
            PushSenderMetrics.count(destination.kind, .failed, failure.reason)
            end(destination, .withoutContents)
            note(attempt, .failed, ticket, push, due: attempt.answered)
        case .stopped(let failure):
            PushSenderMetrics.count(destination.kind, .refused, failure.reason)
            note(attempt, .refused, ticket, push, due: again(destination, after: .zero, tries: push.tries))
        case .atOnce: break
        }
    }

    private func settle(
        _ destination: PushDestination, _ push: WaitingPush, _ outcome: PushSenderMetrics.Outcome, _ reason: String
    ) {
        PushSenderMetrics.count(destination.kind, outcome, reason)
        end(destination, outcome == .dropped ? .dropped : .settled)
    }

    /// - Returns: the time from which it is sent again.
    private func again(_ destination: PushDestination, after pause: Duration, tries: Int) -> Timestamp {
        let time = Timestamp(milliseconds: dispatcher.clock.now.milliseconds + pause.milliseconds)
        end(destination, .again(at: time, tries: tries))
        return time
    }

    private func end(_ destination: PushDestination, _ end: SenderState.End) {
        let collapsed = state.withLock { state in
            let before = state.collapsedCount
            state.end(destination, end, at: dispatcher.clock.now)
            return state.collapsedCount - before
        }
        PushSenderMetrics.count(destination.kind, .collapsed, by: collapsed)
        if collapsed > 0 { noteUnsent() }
    }

    /// Drops the waiting push, unsent.
    func drop(_ destination: PushDestination, _ reason: String, isForgotten: Bool) {
        PushSenderMetrics.count(destination.kind, .dropped, reason)
        state.withLock { $0.drop(destination, reason, isForgotten: isForgotten, at: dispatcher.clock.now) }
        noteUnsent()
        for ring in [Ring.ready, .changed] { bell.ring(ring) }
    }
}

extension RegisteredPushAddress {
    /// True where the provider throttles silent pushes.
    fileprivate var isThrottled: Bool {
        if case .apns(let address) = address { address.environment == .production } else { false }
    }

    /// True if it is sent silent pushes.
    fileprivate var takesSilent: Bool {
        if case .webPush(let address) = address { address.takesSilent } else { true }
    }
}
