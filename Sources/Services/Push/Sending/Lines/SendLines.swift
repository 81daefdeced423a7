import CloudModel

/// The pushes that may be sent now, in queues by line and credential, and in each by user: turns, budgets and circuits.
/// Pure.
struct SendLines: Sendable {
    /// A queue: pushes that fail together.
    struct Queue: Hashable, Sendable {
        /// The kind of the addresses.
        var kind: CourierKind
        /// The provider's host.
        var line: String
        /// The name of the credential that the provider is shown.
        var credential: String
    }

    /// A place in a queue.
    struct Ticket: Hashable, Sendable {
        /// The number of the partition's run that sends it.
        var owner: Int
        var destination: PushDestination
        var user: UserRecordName
        var queue: Queue
    }

    /// The budgets.
    struct Budget: Sendable {
        /// Pushes in flight, of one queue.
        var queue = 500
        /// Pushes in flight of one user in a queue.
        var user = 8
        /// Pushes in flight of all queues.
        var all = 4000
    }

    private struct Lane {
        /// Tickets by user, in their order; those before `taken` are gone.
        var waiting: [UserRecordName: ArraySlice<Ticket>] = [:]
        /// Users with tickets and room, in the order of their turns.
        var turns: ArraySlice<UserRecordName> = []
        var inFlight: [UserRecordName: Int] = [:]
        var inFlightCount = 0

        var isEmpty: Bool { waiting.isEmpty && inFlightCount == 0 }

        mutating func append(_ ticket: Ticket, _ budget: Budget) {
            let isNew = waiting[ticket.user] == nil
            waiting[ticket.user, default: []].append(ticket)
            if isNew, inFlight[ticket.user, default: 0] < budget.user { turns.append(ticket.user) }
        }

        mutating func next(_ budget: Budget) -> Ticket? {
            guard inFlightCount < budget.queue, let user = turns.popFirst() else { return nil }
            let ticket = waiting[user]!.removeFirst()
            inFlight[user, default: 0] += 1
            inFlightCount += 1
            if waiting[user]!.isEmpty {
                waiting[user] = nil
            } else if inFlight[user]! < budget.user {
                turns.append(user)
            }
            return ticket
        }

        mutating func finish(_ user: UserRecordName, _ budget: Budget) {
            let held = inFlight[user, default: 0]
            inFlight[user] = held > 1 ? held - 1 : nil
            inFlightCount -= 1
            if held == budget.user, waiting[user] != nil { turns.append(user) }
        }

        mutating func withdraw(_ owner: Int) {
            for (user, tickets) in waiting {
                let rest = tickets.filter { $0.owner != owner }
                waiting[user] = rest.isEmpty ? nil : rest[...]
            }
            turns = turns.filter { waiting[$0] != nil }[...]
        }
    }

    let budget: Budget
    private var lanes: [Queue: Lane] = [:]
    /// The queues in the order of their turns.
    private var turns: ArraySlice<Queue> = []
    private var circuits: [String: Circuit] = [:]
    private var gates: [String: Circuit] = [:]
    private var inFlightCount = 0
    /// Circuits that are kept; beyond, those go that are closed.
    private static let circuitsMax = 4096

    init(budget: Budget = Budget()) { self.budget = budget }

    /// Adds a push to its queue.
    mutating func append(_ ticket: Ticket) {
        if lanes[ticket.queue] == nil {
            lanes[ticket.queue] = Lane()
            turns.append(ticket.queue)
        }
        lanes[ticket.queue]!.append(ticket, budget)
    }

    /// Takes the next push that may be sent; `finish` has to follow.
    mutating func next(at now: Timestamp) -> Ticket? {
        guard inFlightCount < budget.all else { return nil }
        for _ in 0..<turns.count {
            let queue = turns.removeFirst()
            if lanes[queue]!.isEmpty {
                lanes[queue] = nil
                continue
            }
            turns.append(queue)
            guard admits(queue, now), let ticket = lanes[queue]!.next(budget) else { continue }
            circuits[Self.name(queue)]?.pass()
            gates[Self.gate(queue)]?.pass()
            inFlightCount += 1
            return ticket
        }
        return nil
    }

    private func admits(_ queue: Queue, _ now: Timestamp) -> Bool {
        circuits[Self.name(queue)]?.admits(at: now) != false && gates[Self.gate(queue)]?.admits(at: now) != false
    }

    /// Notes the end of a sending.
    /// - Parameter jitter: 0 to 1.
    /// - Returns: true if a circuit has opened by it.
    @discardableResult
    mutating func finish(
        _ ticket: Ticket, _ effect: OutcomeRule.Effect, at now: Timestamp, jitter: Double
    ) -> Bool {
        let wasOpen = isOpen(ticket.queue)
        lanes[ticket.queue]?.finish(ticket.user, budget)
        inFlightCount -= 1
        note(effect, of: ticket, now, jitter)
        return !wasOpen && isOpen(ticket.queue)
    }

    /// Returns true while the circuit of a queue's line is open, or its credential stopped.
    func isOpen(_ queue: Queue) -> Bool {
        circuits[Self.name(queue)]?.isOpen == true || gates[Self.gate(queue)]?.isOpen == true
    }

    private mutating func note(
        _ effect: OutcomeRule.Effect, of ticket: Ticket, _ now: Timestamp, _ jitter: Double
    ) {
        let (line, gate) = (Self.name(ticket.queue), Self.gate(ticket.queue))
        switch effect {
        case .answered:
            circuits[line] = nil
            gates[gate] = nil
        case .failed(let wish):
            circuits[line, default: .ofLine].fail(at: now, wish: wish, jitter: jitter)
            if circuits.count > Self.circuitsMax { circuits = circuits.filter { $0.value.isOpen } }
            gates[gate]?.give(back: now)
        case .refused:
            circuits[line] = nil
            gates[gate, default: .ofCredential].fail(at: now, wish: nil, jitter: 1)
        case .none:
            circuits[line]?.give(back: now)
            gates[gate]?.give(back: now)
        }
    }

    /// Opens a line's circuit.
    mutating func trip(_ queue: Queue, at now: Timestamp) { circuits[Self.name(queue), default: .ofLine].trip(at: now) }

    /// Removes the tickets of an owner that has lost its partition.
    mutating func withdraw(_ owner: Int) { for queue in lanes.keys { lanes[queue]!.withdraw(owner) } }

    /// The next time at which a circuit lets a probe through.
    func nextProbe(after now: Timestamp) -> Timestamp? {
        (circuits.values.compactMap(\.next) + gates.values.compactMap(\.next)).filter { $0 > now }.min()
    }

    /// The open circuits of lines, and the stopped credentials, by kind.
    var openCount: [CourierKind: (lines: Int, credentials: Int)] {
        var result: [CourierKind: (lines: Int, credentials: Int)] = [:]
        var seen: Set<String> = []
        for queue in lanes.keys {
            let (line, gate) = (Self.name(queue), Self.gate(queue))
            if circuits[line]?.isOpen == true, seen.insert("l" + line).inserted {
                result[queue.kind, default: (0, 0)].lines += 1
            }
            if gates[gate]?.isOpen == true, seen.insert("g" + gate).inserted {
                result[queue.kind, default: (0, 0)].credentials += 1
            }
        }
        return result
    }

    private static func name(_ queue: Queue) -> String { "\(queue.kind)/\(queue.line)" }
    private static func gate(_ queue: Queue) -> String { "\(queue.kind)/\(queue.credential)" }
}
