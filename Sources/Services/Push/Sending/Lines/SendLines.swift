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
        /// Pushes in flight of a kind: two kinds whose hosts do not answer leave the places of the third one.
        var kind = 1500
        /// Lines of a kind with pushes in flight: each takes a connection.
        var lines = Lines()
    }

    /// The most lines of a kind with pushes in flight at once. Hosts that users chose may take requests and never answer
    /// them: those leave connections for hosts that answer, and for new ones.
    struct Lines: Sendable {
        /// All lines.
        var all = 240
        /// Those that did not answer last, or were slow, and those that were never asked.
        var unproven = 160
        /// Those that did not answer last, or were slow.
        var failing = 60

        /// The part of one of several senders with the same connections.
        func shared(by count: Int) -> Lines {
            func part(_ number: Int) -> Int { max(4, number / max(1, count)) }
            return Lines(all: part(all), unproven: part(unproven), failing: part(failing))
        }

        /// The most lines of a standing and of the worse ones.
        fileprivate func limit(_ standing: Standing) -> Int {
            switch standing {
            case .answering: all
            case .untried: unproven
            case .failing: failing
            }
        }
    }

    /// The last answer of a line.
    enum Standing: Int, CaseIterable, Sendable {
        case answering, untried, failing
    }

    /// The reason why a queue is held back.
    private enum Hold: Hashable {
        /// The circuit of a line.
        case line(CourierKind, String)
        /// The stop of a credential.
        case credential(CourierKind, String)
        /// All places of a kind are taken.
        case kind(CourierKind)
        /// All places of a kind's lines with a standing are taken.
        case lines(CourierKind, Standing)
    }

    /// The pushes in flight of a line.
    private struct Flight {
        var count: Int
        /// The standing with which it took its place.
        var standing: Standing
    }

    /// Lines whose standing is known; beyond, those are forgotten that fail, and then all.
    private static let standingsMax = 4096

    /// Circuits that are kept; beyond, those go that nothing waits for.
    private static let circuitsMax = 4096

    let budget: Budget
    /// The number of queues that `next` has looked at. A queue that cannot send costs nothing.
    private(set) var looks = 0
    private var lanes: [Queue: Lane] = [:]
    /// The queues that may have a push to send, in the order of their turns.
    private var turns: ArraySlice<Queue> = []
    /// The other queues that have one, by what holds them.
    private var held: [Hold: ArraySlice<Queue>] = [:]
    private var circuits: [Hold: Circuit] = [:]
    private var circuitsLimit = Self.circuitsMax
    /// The open circuits, by the times of their probes.
    private var probes = DueTimes<Hold>()
    private var inFlight: [CourierKind: Int] = [:]
    private var inFlightCount = 0
    /// The lines that were asked. Those that are missing are untried.
    private var standings: [Hold: Standing] = [:]
    /// The lines with pushes in flight.
    private var flights: [Hold: Flight] = [:]
    /// The places that lines took, by standing.
    private var taken: [CourierKind: [Int]] = [:]

    init(budget: Budget = Budget()) { self.budget = budget }

    // MARK: Turns

    /// Adds a push to its queue.
    mutating func append(_ ticket: Ticket) {
        lanes[ticket.queue, default: Lane()].append(ticket, budget)
        list(ticket.queue)
    }

    /// Takes the next push that may be sent; `finish` has to follow.
    mutating func next(at now: Timestamp) -> Ticket? {
        guard inFlightCount < budget.all else { return nil }
        for hold in probes.take(at: now) { release(hold) }
        while let queue = turns.popFirst() ?? nextOfKinds() ?? nextOfLines() {
            looks += 1
            lanes[queue]!.isListed = false
            guard lanes[queue]!.isReady(budget) else {
                forgetIfEmpty(queue)
                continue
            }
            if let hold = hold(of: queue, now) {
                lanes[queue]!.isListed = true
                held[hold, default: []].append(queue)
                continue
            }
            let ticket = lanes[queue]!.next(budget)
            pass(Self.line(queue))
            pass(Self.credential(queue))
            inFlight[queue.kind, default: 0] += 1
            inFlightCount += 1
            enter(Self.line(queue), of: queue.kind)
            list(queue)
            return ticket
        }
        return nil
    }

    /// The next queue that waits for a place of its kind, where there is one.
    private mutating func nextOfKinds() -> Queue? {
        for kind in CourierKind.addressed where inFlight[kind, default: 0] < budget.kind {
            release(.kind(kind), max: 1)
            if let queue = turns.popFirst() { return queue }
        }
        return nil
    }

    /// The next queue that waits for a place of its kind's lines, where there is one. Lines that answer come first.
    private mutating func nextOfLines() -> Queue? {
        for kind in CourierKind.addressed {
            for standing in Standing.allCases where held[.lines(kind, standing)] != nil && hasPlace(kind, standing) {
                release(.lines(kind, standing), max: 1)
                if let queue = turns.popFirst() { return queue }
            }
        }
        return nil
    }

    /// Lists a queue with a push to send, if it is not: at the end of the turns, or of those that wait for a place of
    /// the kind.
    private mutating func list(_ queue: Queue, isReleased: Bool = false) {
        guard let lane = lanes[queue], !lane.isListed, lane.isReady(budget) else { return }
        lanes[queue]!.isListed = true
        let kind = Hold.kind(queue.kind)
        if !isReleased, held[kind] != nil || inFlight[queue.kind, default: 0] >= budget.kind {
            held[kind, default: []].append(queue)
        } else {
            turns.append(queue)
        }
    }

    private mutating func forgetIfEmpty(_ queue: Queue) {
        if let lane = lanes[queue], lane.isEmpty, !lane.isListed { lanes[queue] = nil }
    }

    private func hold(of queue: Queue, _ now: Timestamp) -> Hold? {
        for hold in [Self.line(queue), Self.credential(queue)] where circuits[hold]?.admits(at: now) == false {
            return hold
        }
        guard inFlight[queue.kind, default: 0] < budget.kind else { return .kind(queue.kind) }
        let standing = standings[Self.line(queue)] ?? .untried
        return flights[Self.line(queue)] != nil || hasPlace(queue.kind, standing) ? nil : .lines(queue.kind, standing)
    }

    // MARK: Places of lines

    /// Returns true if a line with a standing may be asked: each standing leaves places for the better ones.
    private func hasPlace(_ kind: CourierKind, _ standing: Standing) -> Bool {
        guard let taken = taken[kind] else { return true }
        var count = 0
        for rank in Standing.allCases.reversed() {
            count += taken[rank.rawValue]
            if rank.rawValue <= standing.rawValue, count >= budget.lines.limit(rank) { return false }
        }
        return true
    }

    private mutating func enter(_ line: Hold, of kind: CourierKind) {
        if flights[line] != nil {
            flights[line]!.count += 1
        } else {
            let standing = standings[line] ?? .untried
            flights[line] = Flight(count: 1, standing: standing)
            taken[kind, default: Array(repeating: 0, count: Standing.allCases.count)][standing.rawValue] += 1
        }
    }

    private mutating func leave(_ line: Hold, of kind: CourierKind) {
        guard let flight = flights[line] else { return }
        if flight.count > 1 {
            flights[line]!.count -= 1
        } else {
            flights[line] = nil
            taken[kind]![flight.standing.rawValue] -= 1
        }
    }

    private mutating func note(_ standing: Standing, of line: Hold) {
        standings[line] = standing
        guard standings.count > Self.standingsMax else { return }
        standings = standings.filter { $0.value != .failing }
        if standings.count > Self.standingsMax { standings.removeAll() }
    }

    /// Lets the queues take turns again that something held.
    /// - Parameter count: the most of them; those without a push do not count.
    private mutating func release(_ hold: Hold, max count: Int = .max) {
        var released = 0
        while released < count, let queue = held[hold]?.popFirst() {
            lanes[queue]?.isListed = false
            if case .kind = hold { list(queue, isReleased: true) } else { list(queue) }
            if lanes[queue]?.isListed == true { released += 1 } else { forgetIfEmpty(queue) }
        }
        if held[hold]?.isEmpty == true { held[hold] = nil }
    }

    // MARK: Ends

    /// Notes the end of a sending.
    /// - Parameters:
    ///   - isSlow: true where the answer took so long that others should not wait for the line's connection.
    ///   - jitter: 0 to 1.
    /// - Returns: true if a circuit has opened by it.
    @discardableResult
    mutating func finish(
        _ ticket: Ticket, _ effect: OutcomeRule.Effect, isSlow: Bool = false, at now: Timestamp, jitter: Double
    ) -> Bool {
        let queue = ticket.queue
        let wasOpen = isOpen(queue)
        lanes[queue]?.finish(ticket.user, budget)
        inFlight[queue.kind, default: 0] -= 1
        inFlightCount -= 1
        leave(Self.line(queue), of: queue.kind)
        release(.kind(queue.kind), max: 1)
        note(effect, of: queue, now, jitter)
        switch effect {
        case .answered, .refused: note(isSlow ? .failing : .answering, of: Self.line(queue))
        case .failed: note(.failing, of: Self.line(queue))
        case .none: break
        }
        list(queue)
        forgetIfEmpty(queue)
        return !wasOpen && isOpen(queue)
    }

    /// Removes the tickets of an owner that has lost its partition.
    mutating func withdraw(_ owner: Int) {
        for queue in lanes.keys {
            lanes[queue]!.withdraw(owner)
            forgetIfEmpty(queue)
        }
    }

    // MARK: Circuits

    /// Returns true while the circuit of a queue's line is open, or its credential stopped.
    func isOpen(_ queue: Queue) -> Bool {
        !circuits.isEmpty
            && (circuits[Self.line(queue)]?.isOpen == true || circuits[Self.credential(queue)]?.isOpen == true)
    }

    private mutating func note(_ effect: OutcomeRule.Effect, of queue: Queue, _ now: Timestamp, _ jitter: Double) {
        let (line, credential) = (Self.line(queue), Self.credential(queue))
        switch effect {
        case .answered where circuits.isEmpty: break
        case .answered: for hold in [line, credential] { change(hold) { $0 = nil } }
        case .failed(let wish):
            change(line) { circuit in
                circuit = circuit ?? .ofLine
                circuit!.fail(at: now, wish: wish, jitter: jitter)
            }
            change(credential) { $0?.give(back: now) }
            if circuits.count > circuitsLimit { forgetCircuits() }
        case .refused:
            change(line) { $0 = nil }
            change(credential) { circuit in
                circuit = circuit ?? .ofCredential
                circuit!.fail(at: now, wish: nil, jitter: 1)
            }
            if circuits.count > circuitsLimit { forgetCircuits() }
        case .none where circuits.isEmpty: break
        case .none: for hold in [line, credential] { change(hold) { $0?.give(back: now) } }
        }
    }

    /// Opens a line's circuit.
    mutating func trip(_ queue: Queue, at now: Timestamp) {
        change(Self.line(queue)) { circuit in
            circuit = circuit ?? .ofLine
            circuit!.trip(at: now)
        }
    }

    private mutating func pass(_ hold: Hold) {
        guard circuits[hold]?.isOpen == true else { return }
        change(hold) { $0?.pass() }
    }

    /// Changes a circuit, and with it the time of its probe: one that closes holds nothing back.
    private mutating func change(_ hold: Hold, _ body: (inout Circuit?) -> Void) {
        body(&circuits[hold])
        let circuit = circuits[hold]
        if let next = circuit?.next { probes.set(hold, at: next) } else { probes.remove(hold) }
        if circuit?.isOpen != true { release(hold) }
    }

    private mutating func forgetCircuits() {
        for (hold, circuit) in circuits where held[hold] == nil && (!circuit.isOpen || circuit.next != nil) {
            circuits[hold] = nil
            probes.remove(hold)
        }
        circuitsLimit = max(Self.circuitsMax, circuits.count * 2)
    }

    /// True if a circuit is open, and waits for the time of its probe.
    var awaitsProbes: Bool { probes.count > 0 }

    /// The next time at which a circuit lets a probe through.
    func nextProbe(after now: Timestamp) -> Timestamp? { probes.next.flatMap { $0 > now ? $0 : nil } }

    /// The open circuits of lines, and the stopped credentials, by kind.
    var openCount: [CourierKind: (lines: Int, credentials: Int)] {
        var result: [CourierKind: (lines: Int, credentials: Int)] = [:]
        var seen: Set<Hold> = []
        for queue in lanes.keys {
            let (line, credential) = (Self.line(queue), Self.credential(queue))
            if circuits[line]?.isOpen == true, seen.insert(line).inserted {
                result[queue.kind, default: (0, 0)].lines += 1
            }
            if circuits[credential]?.isOpen == true, seen.insert(credential).inserted {
                result[queue.kind, default: (0, 0)].credentials += 1
            }
        }
        return result
    }

    private static func line(_ queue: Queue) -> Hold { .line(queue.kind, queue.line) }
    private static func credential(_ queue: Queue) -> Hold { .credential(queue.kind, queue.credential) }
}
