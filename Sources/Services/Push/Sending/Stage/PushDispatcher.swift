import CloudModel
import Synchronization
import Telemetry
import Timing
import Waiting

/// Starts the sendings of all partitions of a process, as `SendLines` lets them.
final class PushDispatcher: Sendable {
    private enum Ring: Hashable { case changed }

    private struct State {
        var lines: SendLines
        var doubts: [String: AddressDoubt] = [:]
        var owners: [Int: PartitionSender] = [:]
        var last = 0
    }

    /// Credentials whose answers are remembered.
    private static let doubtsMax = 4096
    /// Connections a minute that a provider may take for an attack.
    static let connectionsMax = 6

    let clock: SenderClock
    /// Random numbers of 0 to 1.
    let jitter: @Sendable () -> Double
    private let state: Mutex<State>
    private let bell = Bell<Ring>()

    init(
        budget: SendLines.Budget = SendLines.Budget(), clock: SenderClock = SenderClock(),
        jitter: @escaping @Sendable () -> Double = { .random(in: 0...1) }
    ) {
        self.clock = clock
        self.jitter = jitter
        state = Mutex(State(lines: SendLines(budget: budget)))
    }

    /// Starts probes when their time has come, until the task is cancelled.
    func run() async {
        while !Task.isCancelled {
            let ticket = bell.register(.changed)
            pump()
            let now = clock.now
            if let next = state.withLock({ $0.lines.nextProbe(after: now) }) {
                let pause = Duration.milliseconds(max(1, next.milliseconds - now.milliseconds))
                _ = try? await Time.race(within: pause) { await self.bell.wait(ticket, for: .changed) }
            } else {
                await bell.wait(ticket, for: .changed)
            }
        }
    }

    /// Takes in the sender of a partition.
    /// - Returns: its number.
    func enter(_ owner: PartitionSender) -> Int {
        state.withLock { state in
            state.last += 1
            state.owners[state.last] = owner
            return state.last
        }
    }

    /// Lets go of a sender: nothing more of it is started.
    func leave(_ number: Int) {
        state.withLock { state in
            state.owners[number] = nil
            state.lines.withdraw(number)
        }
    }

    /// Adds a push that may be sent.
    func append(_ ticket: SendLines.Ticket) {
        state.withLock { $0.lines.append(ticket) }
        pump()
    }

    /// Ends a sending.
    /// - Parameters:
    ///   - isSlow: true where the provider took long.
    ///   - connectsOften: true where the transport connects too often.
    func finish(
        _ ticket: SendLines.Ticket, _ effect: OutcomeRule.Effect, isSlow: Bool = false, connectsOften: Bool = false
    ) {
        let now = clock.now
        let (hasOpened, awaitsProbes) = state.withLock { state in
            var hasOpened = state.lines.finish(ticket, effect, isSlow: isSlow, at: now, jitter: jitter())
            if connectsOften, !state.lines.isOpen(ticket.queue) {
                state.lines.trip(ticket.queue, at: now)
                hasOpened = true
            }
            return (hasOpened, state.lines.awaitsProbes)
        }
        if hasOpened {
            Log.error("sender.line.stopped", ["kind": "\(ticket.queue.kind)", "refused": effect == .refused])
        }
        if connectsOften {
            Log.error("sender.line.connects", ["kind": "\(ticket.queue.kind)", "connectionsMax": Self.connectionsMax])
        }
        if awaitsProbes { bell.ring(.changed) }
        pump()
    }

    /// Notes an answer about a device, and returns the answers about its credential.
    func note(_ ticket: SendLines.Ticket, isRefused: Bool) -> AddressDoubt {
        let name = "\(ticket.queue.kind)/\(ticket.queue.credential)"
        return state.withLock { state in
            if state.doubts[name] == nil, state.doubts.count >= Self.doubtsMax { state.doubts.removeAll() }
            state.doubts[name, default: AddressDoubt(ticket.queue.kind)].note(
                ticket.destination.device, of: ticket.user, isRefused: isRefused)
            return state.doubts[name]!
        }
    }

    /// Returns true while a queue waits for a probe.
    func isOpen(_ queue: SendLines.Queue) -> Bool { state.withLock { $0.lines.isOpen(queue) } }

    /// The open circuits and stopped credentials.
    var openCount: [CourierKind: (lines: Int, credentials: Int)] { state.withLock { $0.lines.openCount } }

    private func pump() {
        while true {
            let now = clock.now
            let (ticket, owner) = state.withLock { state in
                let ticket = state.lines.next(at: now)
                return (ticket, ticket.flatMap { state.owners[$0.owner] })
            }
            guard let ticket else { return }
            if let owner {
                Task { await owner.send(ticket) }
            } else {
                _ = state.withLock { $0.lines.finish(ticket, .none, at: now, jitter: 0) }
            }
        }
    }
}
