import CloudMessages
import CloudModel
import EventLog
import ProtocolBuffers
import TestSupport
import Testing

@testable import Push

/// The pure parts of a sender in a simulated time: state, queues and rules, with a provider that a test scripts.
struct SenderWorld {
    /// A push as the provider got it.
    struct Sent: Equatable {
        var destination: PushDestination
        var number: Int64
        var merged: Int
        var badge: Int64?
        var isSilent: Bool
        var read: [Int64] = []
        var isMark = false
        var at: Int64
        var isAccepted = false
    }

    private struct Flight {
        var ticket: SendLines.Ticket
        var push: WaitingPush
        var sent: Int
        var outcome: PushOutcome?
        var end: Int64
        var atOnce = 0
    }

    static let source = SourceID(origin: "deliveries", incarnation: 9, partition: 0)

    var state: SenderState
    var lines: SendLines
    var doubt = AddressDoubt()
    var now: Int64 = 1_000_000
    var jitter = 1.0
    /// The outcome of a sending, and the milliseconds until it; no outcome never comes.
    var provider: (_ push: Sent, _ now: Int64) -> (outcome: PushOutcome?, after: Int64) = { _, _ in (.taken, 5) }
    var line: (PushDestination) -> String = { _ in "host" }
    var terms = SenderState.Terms(lifetime: { $0 ? .seconds(28 * 86_400) : .seconds(3600) })
    /// The devices that take no push that shows nothing.
    var takesNoSilent: (PushDestination) -> Bool = { _ in false }
    /// The sent pushes, the committed rows, and the ends.
    private(set) var sent: [Sent] = []
    private(set) var stored: [[UInt8]: [UInt8]] = [:]
    private(set) var settled: [(destination: PushDestination, number: Int64, merged: Int, verdict: String)] = []
    private(set) var removed: [PushDestination] = []
    private var flights: [Flight] = []
    private let contentBytesMax: Int

    init(contentBytesMax: Int = 8 << 20, budget: SendLines.Budget = SendLines.Budget()) throws {
        self.contentBytesMax = contentBytesMax
        state = try SenderState(contentBytesMax: contentBytesMax)
        state.keepsUnsent = true
        lines = SendLines(budget: budget)
    }

    static func device(_ name: String, _ kind: CourierKind = .apns) -> PushDestination {
        PushDestination(device: DeviceID(trusted: name), epoch: DeviceEpoch(3), kind: kind)
    }

    var time: Timestamp { Timestamp(milliseconds: now) }

    /// The names of the pushes that the provider has not answered.
    var inFlight: [(PushDestination, Int64)] { flights.map { ($0.ticket.destination, $0.push.name.offset) } }

    /// An entry of `pushes` arrives.
    mutating func arrive(
        _ number: Int64, for destination: PushDestination, isVisible: Bool = true, badge: Int64? = nil,
        isMark: Bool = false, read: [Int64] = [], user: String = "u", bytes: Int = 100
    ) {
        let name = SourcePosition(source: Self.source, offset: number)
        state.position.offset += 1
        guard state.position.advance(to: name) else { return }
        state.take(
            WaitingPush(
                name: name, isMark: isMark, read: read, badge: badge, isVisible: isVisible, time: time,
                content: Self.content(number, destination, bytes)),
            for: destination, of: UserRecordName(trusted: user), at: time)
    }

    private static func content(_ number: Int64, _ destination: PushDestination, _ bytes: Int) -> [UInt8] {
        PushEntry(
            source: SourcePositionMessage(SourcePosition(source: source, offset: number)),
            user: String(repeating: "x", count: bytes),
            targets: [PushTarget(device: destination.device.rawValue, epoch: 3, courier: destination.kind.rawValue)]
        ).encoded()
    }

    /// Sends the pushes that may be sent now, and takes the answers that have come.
    mutating func run(user: (PushDestination) -> String = { _ in "u" }) {
        var isBusy = true
        while isBusy {
            isBusy = answer()
            for destination in state.takeReady(at: time) {
                isBusy = true
                lines.append(
                    SendLines.Ticket(
                        owner: 1, destination: destination, user: UserRecordName(trusted: user(destination)),
                        queue: .init(kind: destination.kind, line: line(destination), credential: "key")))
            }
            while let ticket = lines.next(at: time) { start(ticket) }
            isBusy = load() || isBusy
        }
    }

    /// Lets time pass in steps, and commits at each.
    mutating func pass(
        _ duration: Duration, step: Int64 = 100, commits: Bool = true, user: (PushDestination) -> String = { _ in "u" },
        each body: (inout SenderWorld) -> Void = { _ in }
    ) {
        let end = now + duration.milliseconds
        while now < end {
            now += step
            body(&self)
            run(user: user)
            if commits { commit() }
        }
    }

    private mutating func start(_ ticket: SendLines.Ticket) {
        var terms = terms
        terms.takesSilent = !takesNoSilent(ticket.destination)
        switch state.start(ticket.destination, on: terms, at: time) {
        case .send(let push, let asSilent):
            #expect(!flights.contains { $0.ticket.destination == ticket.destination }, "one in flight")
            send(Flight(ticket: ticket, push: push, sent: 0, outcome: nil, end: 0), asSilent)
        case .unwanted:
            let push = state.takeUnsent().last!.push
            settled.append((ticket.destination, push.name.offset, push.isMark ? 0 : push.merged, "silent"))
            lines.finish(ticket, .none, at: time, jitter: jitter)
        case .expired:
            settled.append((ticket.destination, -1, 0, "expired"))
            lines.finish(ticket, .none, at: time, jitter: jitter)
        case .lookUp, .load, .later, .nothing: lines.finish(ticket, .none, at: time, jitter: jitter)
        }
    }

    private mutating func send(_ flight: Flight, _ asSilent: Bool) {
        var flight = flight
        let push = Sent(
            destination: flight.ticket.destination, number: flight.push.name.offset, merged: flight.push.merged,
            badge: flight.push.badge, isSilent: asSilent || !flight.push.isShown,
            read: flight.push.read, isMark: flight.push.isMark, at: now)
        flight.sent = sent.count
        sent.append(push)
        let (outcome, after) = provider(push, now)
        (flight.outcome, flight.end) = (outcome, outcome == nil ? .max : now + after)
        flights.append(flight)
    }

    private mutating func answer() -> Bool {
        guard let index = flights.firstIndex(where: { $0.end <= now }) else { return false }
        var flight = flights.remove(at: index)
        let destination = flight.ticket.destination
        switch flight.outcome! {
        case .accepted:
            sent[flight.sent].isAccepted = true
            doubt.note(destination.device, of: flight.ticket.user, isRefused: false)
        case .doubtful: doubt.note(destination.device, of: flight.ticket.user, isRefused: true)
        default: break
        }
        let (verdict, effect) = OutcomeRule.judge(
            flight.outcome!, of: flight.push, registered: Timestamp(milliseconds: 0), doubt: doubt,
            atOnce: flight.atOnce, isLineOpen: lines.isOpen(flight.ticket.queue), jitter: jitter)
        switch verdict {
        case .atOnce:
            flight.atOnce += 1
            send(flight, sent[flight.sent].isSilent && flight.push.isVisible)
            return true
        case .sent: settle(flight, "sent")
        case .dropped(let failure): settle(flight, failure.reason)
        case .removed(let failure):
            removed.append(destination)
            settle(flight, failure.reason)
        case .again(let pause, let tries, _):
            state.end(
                destination, .again(at: Timestamp(milliseconds: now + pause.milliseconds), tries: tries), at: time)
        case .withoutContents: state.end(destination, .withoutContents, at: time)
        case .stopped: state.end(destination, .again(at: time, tries: flight.push.tries), at: time)
        }
        lines.finish(flight.ticket, effect, at: time, jitter: jitter)
        return true
    }

    private mutating func settle(_ flight: Flight, _ verdict: String) {
        let merged = flight.push.isMark ? 0 : flight.push.merged
        settled.append((flight.ticket.destination, flight.push.name.offset, merged, verdict))
        state.end(flight.ticket.destination, verdict == "sent" ? .settled : .dropped, at: time)
    }

    private mutating func load() -> Bool {
        let asked = state.wanted
        guard !asked.isEmpty else { return false }
        var found: [PushDestination: (name: SourcePosition, bytes: [UInt8])] = [:]
        for destination in asked {
            guard let bytes = stored[destination.contentKey],
                let name = try? PushEntry(decoding: bytes).source?.position
            else { continue }
            found[destination] = (name, bytes)
        }
        #expect(state.loaded(found, of: asked, at: time) == 0)
        return true
    }

    /// Commits the changes.
    mutating func commit() {
        for (key, value) in state.takeChanges() { stored[key] = value }
        state.committed()
    }

    /// Starts again from the committed rows.
    /// - Returns: the offset to read from.
    mutating func crash() throws -> Int64 {
        flights = []
        lines = SendLines(budget: lines.budget)
        let next = try stored[PartitionState.key].map { try PartitionState(decoding: $0).next } ?? 0
        state = try SenderState(
            stored, position: LogPosition(offset: next), contentBytesMax: contentBytesMax, now: time)
        state.keepsUnsent = true
        return next
    }
}
