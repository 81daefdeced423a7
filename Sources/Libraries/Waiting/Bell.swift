import Synchronization

/// Wakes those who wait for something: they register, look, and only then wait, so that no ring is missed.
package final class Bell<Key: Hashable & Sendable>: Sendable {
    /// One registration, good for one ring.
    package final class Ticket: Sendable {
        fileprivate enum State {
            case registered
            case waiting(@Sendable () -> Void)
            case rung
        }
        fileprivate let number: Int
        fileprivate let state = Mutex(State.registered)

        fileprivate init(number: Int) { self.number = number }

        fileprivate func ring() {
            let waiting = state.withLock { state -> (@Sendable () -> Void)? in
                defer { state = .rung }
                if case .waiting(let body) = state { return body }
                return nil
            }
            waiting?()
        }

        /// Calls `body` once when the key is rung, at once if it was rung since the registration. A dropped
        /// registration is not called.
        package func whenRung(_ body: @escaping @Sendable () -> Void) {
            let isRung = state.withLock { state in
                if case .rung = state { return true }
                state = .waiting(body)
                return false
            }
            if isRung { body() }
        }
    }

    /// By numbers, not by addresses: those who wait are woken in an order that a run of the same program repeats.
    private let tickets = BusyMutex<[Key: [Int: Ticket]]>([:])
    private let last = Atomic(0)

    package init() {}

    /// Looks for something now and after each ring of a key, until it is there.
    /// - Parameter look: returns nil as long as it has to be waited for.
    /// - Throws: `CancellationError`, and what `look` throws.
    package func wait<Found>(for key: Key, _ look: () async throws -> Found?) async throws -> Found {
        while true {
            try Task.checkCancellation()
            let ticket = register(key)
            let found: Found?
            do {
                found = try await look()
            } catch {
                drop(ticket, for: key)
                throw error
            }
            if let found {
                drop(ticket, for: key)
                return found
            }
            await wait(ticket, for: key)
        }
    }

    /// Waits until a condition holds: asks now and after each ring of a key.
    /// - Throws: `CancellationError`, and what the condition throws.
    package func wait(for key: Key, until condition: () async throws -> Bool) async throws {
        try await wait(for: key) { try await condition() ? () : nil }
    }

    /// Registers for the next ring of a key; `wait(_:for:)` or `drop(_:for:)` has to follow.
    package func register(_ key: Key) -> Ticket {
        let ticket = Ticket(number: last.add(1, ordering: .relaxed).newValue)
        tickets.withLock { $0[key, default: [:]][ticket.number] = ticket }
        return ticket
    }

    /// Waits until the key was rung since the registration; returns early when the task is cancelled.
    package func wait(_ ticket: Ticket, for key: Key) async {
        await withTaskCancellationHandler {
            await withCheckedContinuation { continuation in
                ticket.whenRung { continuation.resume() }
            }
        } onCancel: {
            ticket.ring()
        }
        drop(ticket, for: key)
    }

    /// Forgets a registration.
    package func drop(_ ticket: Ticket, for key: Key) {
        tickets.withLock { tickets in
            tickets[key]?[ticket.number] = nil
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
