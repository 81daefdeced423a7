import CloudModel

extension SendLines {
    /// A queue with its users.
    struct Lane: Sendable {
        /// True while the queue is in the turns, or is held.
        var isListed = false
        /// Tickets by user, in their order; those before `taken` are gone.
        var waiting: [UserRecordName: ArraySlice<Ticket>] = [:]
        /// Users with tickets and room, in the order of their turns.
        var turns: ArraySlice<UserRecordName> = []
        var inFlight: [UserRecordName: Int] = [:]
        var inFlightCount = 0

        var isEmpty: Bool { waiting.isEmpty && inFlightCount == 0 }

        /// True if `next` has a ticket.
        func isReady(_ budget: Budget) -> Bool { inFlightCount < budget.queue && !turns.isEmpty }

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
}
