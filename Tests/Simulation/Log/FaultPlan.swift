import Synchronization
import TestSupport

/// The faults of one history. Made from its seed, and shortened when it has failed.
final class FaultPlan: Sendable {
    private struct State {
        var calls: [Int: Fault.Call] = [:]
        var events: [Int: [(event: Fault.Event, choice: UInt64)]] = [:]
        var callCount = 0
        var isHealed = false
        var met = 0
    }

    /// Calls of the port among which those that fail are chosen.
    private static let callsMax = 900

    let faults: [Fault]
    private let state: Mutex<State>

    init(_ faults: [Fault]) {
        self.faults = faults
        var initial = State()
        for fault in faults {
            switch fault.kind {
            case .call(let call): initial.calls[fault.place] = call
            case .event(let event, let choice): initial.events[fault.place, default: []].append((event, choice))
            }
        }
        state = Mutex(initial)
    }

    /// The faults that a seed wants in a history of so many steps.
    static func make(_ random: inout SeededGenerator, steps: Int) -> [Fault] {
        var faults: [Fault] = []
        for _ in 0..<Int.random(in: 0...10, using: &random) {
            // Half of them early: histories differ in length.
            let bound = Bool.random(using: &random) ? callsMax / 4 : callsMax
            faults.append(
                Fault(
                    place: Int.random(in: 0..<bound, using: &random),
                    kind: .call(Fault.Call.allCases.randomElement(using: &random)!)))
        }
        for _ in 0..<Int.random(in: 0...5, using: &random) {
            faults.append(
                Fault(
                    place: Int.random(in: 0..<steps, using: &random),
                    kind: .event(Fault.Event.allCases.randomElement(using: &random)!, random.next())))
        }
        return faults
    }

    /// Counts a call of the port and returns the fault that meets it.
    func nextCall() -> Fault.Call? {
        state.withLock { state in
            defer { state.callCount += 1 }
            guard !state.isHealed, let call = state.calls[state.callCount] else { return nil }
            state.met += 1
            return call
        }
    }

    /// The events before a step of the script.
    func events(at step: Int) -> [(event: Fault.Event, choice: UInt64)] { state.withLock { $0.events[step] ?? [] } }

    /// Ends all faults.
    func heal() { state.withLock { $0.isHealed = true } }

    /// Calls of the port that have failed so far.
    var met: Int { state.withLock { $0.met } }

    /// Calls of the port so far.
    var callCount: Int { state.withLock { $0.callCount } }
}
