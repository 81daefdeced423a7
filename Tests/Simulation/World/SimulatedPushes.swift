import CloudMessages
import CloudModel
import EventLog
import ProtocolBuffers
import Synchronization

/// What the push services of a history were handed.
final class SimulatedPushes: Sendable {
    /// A notification as a payload names it.
    struct Subject: Hashable, Sendable {
        var change: Int64
        var subscription: String
    }

    /// A push that a service was handed.
    struct Handed: Sendable, CustomStringConvertible {
        var device: DeviceID
        var kind: CourierKind
        var id: String
        /// Nil for a badge that was set, and for read notifications.
        var subject: Subject?
        var badge: Int64?
        /// False for one that was too large with its contents.
        var hasContents: Bool
        var read: [Int64]
        /// The sender and its take-over of the partition.
        var session: Session
        /// The answer; nil as long as there is none.
        var isAccepted: Bool?

        var description: String {
            let name = subject.map { "\($0.change)/\($0.subscription)" } ?? "a mark"
            let answer = isAccepted.map { $0 ? "accepted" : "refused" } ?? "unanswered"
            return "\(name) (session \(session.sender).\(session.takeOver), \(answer))"
        }
    }

    struct Session: Hashable, Sendable {
        var sender: Int
        var takeOver: Int
    }

    private struct State {
        var handed: [Handed] = []
        var complaints: [String] = []
        var awayUntil = Duration.zero
        var isHealed = false
        var trimmedAt: Int?
        var senders = 0
    }

    private let log: SimulatedLog
    private let state = Mutex(State())

    init(_ log: SimulatedLog) { self.log = log }

    var handed: [Handed] { state.withLock { $0.handed } }
    var complaints: [String] { state.withLock { $0.complaints } }
    var isHealed: Bool { state.withLock { $0.isHealed } }

    /// Numbers a sender that starts.
    func nextSender() -> Int {
        state.withLock { state in
            state.senders += 1
            return state.senders
        }
    }

    /// The pushes that were handed when `pushes` lost entries first; nil where it never did.
    var trimmedAt: Int? { state.withLock { $0.trimmedAt } }

    func noteTrim() { state.withLock { $0.trimmedAt = $0.trimmedAt ?? $0.handed.count } }

    /// All services answer, and accept.
    func heal() { state.withLock { $0.isHealed = true } }

    /// Takes a push.
    /// - Returns: its number.
    func take(_ push: Handed) -> Int {
        Trace.add("push \(push.device) \(push.kind): \(push)")
        let isKnown = push.subject.map { isInJournal($0, push.device) } ?? true
        return state.withLock { state in
            if !isKnown {
                state.complaints.append("\(push.device): \(push.subject!) was pushed before its journal had it")
            }
            state.handed.append(push)
            return state.handed.count - 1
        }
    }

    func answer(_ number: Int, isAccepted: Bool) { state.withLock { $0.handed[number].isAccepted = isAccepted } }

    /// True while the services cannot be reached; now and then this begins.
    func isAway() -> Bool {
        let now = Scheduler.shared.time
        let begins = Scheduler.shared.chance(oneIn: 40)
        let pause = Duration.seconds(1 + Scheduler.shared.random(below: 120))
        return state.withLock { state in
            if begins { state.awayUntil = now + pause }
            return now < state.awayUntil
        }
    }

    private func isInJournal(_ subject: Subject, _ device: DeviceID) -> Bool {
        guard let user = World.user(of: device) else { return false }
        let place = World.layout.journals(of: user)
        return log.contents.withLock { $0.entries(place) }.contains { entry in
            guard let value = entry.value, let message = try? FeedEntry(decoding: value), message.user == user.rawValue,
                case .query(let query)? = message.entry
            else { return false }
            return query.change == subject.change && query.subscription == subject.subscription
        }
    }
}
