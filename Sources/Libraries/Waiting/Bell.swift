import Synchronization

/// Wakes those who wait for something to be appended: register, look, and only then wait, so that no ring is missed.
package final class Bell<Key: Hashable & Sendable>: Sendable {
    /// One registration, good for one ring.
    package final class Ticket: Sendable {
        fileprivate enum State {
            case registered
            case waiting(CheckedContinuation<Void, Never>)
            case rung
        }
        fileprivate let state = Mutex(State.registered)

        fileprivate func ring() {
            let waiting = state.withLock { state -> CheckedContinuation<Void, Never>? in
                defer { state = .rung }
                if case .waiting(let continuation) = state { return continuation }
                return nil
            }
            waiting?.resume()
        }
    }

    private let tickets = Mutex<[Key: [ObjectIdentifier: Ticket]]>([:])

    package init() {}

    /// Registers for the next ring of a key; `wait(_:for:)` or `drop(_:for:)` has to follow.
    package func register(_ key: Key) -> Ticket {
        let ticket = Ticket()
        tickets.withLock { $0[key, default: [:]][ObjectIdentifier(ticket)] = ticket }
        return ticket
    }

    /// Waits until the key was rung since the registration; returns early when the task is cancelled.
    package func wait(_ ticket: Ticket, for key: Key) async {
        await withTaskCancellationHandler {
            await withCheckedContinuation { continuation in
                let isRung = ticket.state.withLock { state in
                    if case .rung = state { return true }
                    state = .waiting(continuation)
                    return false
                }
                if isRung { continuation.resume() }
            }
        } onCancel: {
            ticket.ring()
        }
        drop(ticket, for: key)
    }

    /// Forgets a registration.
    package func drop(_ ticket: Ticket, for key: Key) {
        tickets.withLock { tickets in
            tickets[key]?[ObjectIdentifier(ticket)] = nil
            if tickets[key]?.isEmpty == true { tickets[key] = nil }
        }
    }

    /// Wakes all that are registered for a key.
    package func ring(_ key: Key) {
        let rung = tickets.withLock { $0.removeValue(forKey: key) }
        for ticket in rung?.values ?? [:].values { ticket.ring() }
    }

    /// Wakes everybody.
    package func ringAll() {
        let rung = tickets.withLock { tickets in
            defer { tickets = [:] }
            return tickets
        }
        for ticket in rung.values.flatMap(\.values) { ticket.ring() }
    }
}
