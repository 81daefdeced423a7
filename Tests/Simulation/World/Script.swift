import CloudModel
import TestSupport

/// What users do in a history, in this order.
struct Script: Sendable {
    enum Step: Hashable, Sendable {
        case register(user: Int, device: Int)
        case unregister(user: Int, device: Int)
        /// - Parameter above: fires for records above this number.
        case subscribe(user: Int, subscription: Int, above: Int64, once: Bool)
        case unsubscribe(user: Int, subscription: Int)
        /// - Parameter device: the user's device that makes the change; nil for a browser.
        case save(user: Int, device: Int?, record: Int, number: Int64)
        case markRead(user: Int, device: Int)
        /// Reads a page of a device's feed.
        case poll(user: Int, device: Int)
        /// Nobody does anything for so long that sweeps come by.
        case wait(days: Int)
        /// The topic of public changes is deleted and made anew, and repaired. No seed makes this step yet.
        case remake
        /// A device goes back to an earlier token and forgets what it read since.
        case restore(user: Int, device: Int)
    }

    var steps: [Step]

    init(_ steps: [Step]) { self.steps = steps }

    /// The script that a seed makes: two users with two devices each.
    init(random: inout SeededGenerator) {
        // Something to fire, and somebody to be told, in most histories.
        steps = [.subscribe(user: 0, subscription: 0, above: 2, once: false), .register(user: 0, device: 0)]
        if Bool.random(using: &random) { steps.reverse() }
        for _ in 0..<Int.random(in: 6...16, using: &random) { steps.append(Self.step(&random)) }
    }

    private static func step(_ random: inout SeededGenerator) -> Step {
        let user = Int.random(in: 0..<2, using: &random)
        let device = Int.random(in: 0..<2, using: &random)
        switch Int.random(in: 0..<20, using: &random) {
        case 0, 1: return .register(user: user, device: device)
        case 2: return .unregister(user: user, device: device)
        case 3, 4:
            let subscription = Int.random(in: 0..<3, using: &random)
            return .subscribe(
                user: user, subscription: subscription, above: Int64.random(in: 0..<6, using: &random),
                once: subscription == 2)
        case 5: return .unsubscribe(user: user, subscription: Int.random(in: 0..<3, using: &random))
        case 6: return .markRead(user: user, device: device)
        case 7...10: return .poll(user: user, device: device)
        case 11: return .restore(user: user, device: device)
        case 12:
            return .wait(days: Bool.random(using: &random) ? 2 : 0)
        default:
            return .save(
                user: user, device: Bool.random(using: &random) ? device : nil,
                record: Int.random(in: 0..<4, using: &random), number: Int64.random(in: 0..<8, using: &random))
        }
    }
}
