import CloudModel
import Synchronization
import TestSupport

/// What users and operators do in a history, in this order.
struct Script: Sendable {
    /// A loss, and its repair.
    enum Loss: String, CaseIterable, Hashable, Sendable {
        /// The store is put back to the copy that was made of it; without one nothing happens.
        case olderStore
        case changes
        case deliveryState
        case deliveries
        case commands
    }

    indirect enum Step: Hashable, Sendable {
        case register(user: Int, device: Int)
        case unregister(user: Int, device: Int)
        /// Registers an address of the device for pushes, of APNs or of Web Push.
        case registerPush(user: Int, device: Int, isBrowser: Bool)
        case removePush(user: Int, device: Int, isBrowser: Bool)
        /// All push senders end, once everything is at rest; they come back once `pushes` has lost what it had.
        case sendersGo
        case sendersCome
        /// - Parameter above: fires for records above this number.
        case subscribe(user: Int, subscription: Int, above: Int64, once: Bool)
        /// A subscription that begins in the past: the third from a time on, the others from the start; the second
        /// fires once.
        case subscribeToPast(user: Int, subscription: Int)
        case unsubscribe(user: Int, subscription: Int)
        /// - Parameter device: the user's device that makes the change; nil for a browser.
        case save(user: Int, device: Int?, record: Int, number: Int64)
        /// Chooses policies for a device, one of `PolicyPlay.choices`.
        case choosePolicies(user: Int, device: Int, choice: Int)
        /// Marks one of the changes as read that the device has read of.
        case markRead(user: Int, device: Int)
        case setBadge(user: Int, device: Int, value: Int64)
        /// Reads a page of a device's feed.
        case poll(user: Int, device: Int)
        /// Nobody does anything for so long that sweeps come by.
        case wait(days: Int)
        /// A broker that was paused comes back and leads a user's journal for a while, without its last entries.
        case oldJournal(user: Int)
        /// The same of the topic of subscriptions.
        case oldSubscriptions
        /// All matchers end; they come back with `matchersCome`.
        case matchersGo
        case matchersCome
        /// All brokers lose power: each partition of changes loses some of its last entries, which nobody had written to
        /// a disk. All processes go on.
        case powerCut(UInt64)
        /// The topic of public changes is deleted and recreated, and repaired, while all processes go on.
        case remake
        /// A copy of the store is made, for `lose`.
        case copyStore
        /// The same in the user's private database: a save, or a change of a subscription.
        case privately(Step)
        /// The first user shares a zone with the second one, who accepts.
        case share
        /// A save in the shared zone, by its owner or by the other user.
        case saveInShare(user: Int, device: Int?, record: Int, number: Int64)
        /// Makes, or deletes, a subscription on all custom zones that the user reads: the owner's private database, the
        /// other user's shared one.
        case watchZones(user: Int)
        case unwatchZones(user: Int)
        /// A second record-service begins on a copy of the store, beside the first one.
        /// - Parameter isStopped: true if the first one is stopped for the copy, and both begin at once.
        case copyService(isStopped: Bool)
        /// One of the two record-services ends for good, and the other one is repaired if it is refused.
        case stopService(UInt64)
        /// Something is lost, and repaired before the processes begin again.
        case lose(Loss)
        /// A device goes back to an earlier token and forgets what it read since.
        case restore(user: Int, device: Int)

        /// Returns true if it takes entries or state away.
        var isLoss: Bool {
            switch self {
            case .lose, .powerCut: true
            default: false
            }
        }
    }

    /// The subscriptions of a user that begin in the past.
    static let past = 3..<6

    var steps: [Step]

    init(_ steps: [Step]) { self.steps = steps }

    /// The script that a seed makes: two users with two devices each.
    init(random: inout SeededGenerator) {
        // A subscription that fires, and a device for it, in most histories.
        steps = [.subscribe(user: 0, subscription: 0, above: 2, once: false), .register(user: 0, device: 0)]
        if Bool.random(using: &random) { steps.reverse() }
        for _ in 0..<Int.random(in: 5...11, using: &random) { steps += Self.steps(&random) }
        if !World.hasPowerCuts.load(ordering: .relaxed) {
            steps.removeAll { if case .powerCut = $0 { true } else { false } }
        }
        // One loss at a time: repeats after a second one, whose halves do not show it any more, are no fault.
        var isLost = false
        steps.removeAll { step in
            guard step.isLoss else { return false }
            defer { isLost = true }
            return isLost
        }
    }

    /// Adds addresses of devices to most of their registrations, and to some of the other steps.
    mutating func addPushes(_ random: inout SeededGenerator) {
        steps = steps.flatMap { step -> [Step] in
            let isBrowser = Bool.random(using: &random)
            switch step {
            case .register(let user, let device):
                guard Int.random(in: 0..<6, using: &random) > 0 else { return [step] }
                return [step, .registerPush(user: user, device: device, isBrowser: isBrowser)]
            default:
                let (user, device) = (Int.random(in: 0..<2, using: &random), Int.random(in: 0..<2, using: &random))
                return switch Int.random(in: 0..<16, using: &random) {
                case 0: [step, .registerPush(user: user, device: device, isBrowser: isBrowser)]
                case 1: [step, .removePush(user: user, device: device, isBrowser: isBrowser)]
                case 2: [step, .setBadge(user: user, device: device, value: Int64.random(in: 4..<9, using: &random))]
                case 4: [.sendersGo, step, Self.save(&random), .sendersCome]
                case 3: [.poll(user: user, device: device), .markRead(user: user, device: device), step]
                default: [step]
                }
            }
        }
    }

    /// Adds choices of policies for devices, where there are pushes. Nothing is lost: an event that a delivery waits for
    /// would come with the user's next one alone.
    mutating func add(_ policies: PolicyPlay, _ random: inout SeededGenerator) {
        steps.removeAll(where: \.isLoss)
        guard policies == .pushes else { return }
        steps = steps.flatMap { step -> [Step] in
            guard Int.random(in: 0..<5, using: &random) == 0 else { return [step] }
            let (user, device) = (Int.random(in: 0..<2, using: &random), Int.random(in: 0..<2, using: &random))
            let choice = Int.random(in: 0..<PolicyPlay.choices.count, using: &random)
            return [.choosePolicies(user: user, device: device, choice: choice), step]
        }
    }

    private static func steps(_ random: inout SeededGenerator) -> [Step] {
        switch Int.random(in: 0..<60, using: &random) {
        case 0:
            // Nobody matches for days, in which changes wait and subscriptions change.
            var steps: [Step] = [.matchersGo, save(&random), step(&random), subscribe(&random), .wait(days: 2)]
            if Bool.random(using: &random) { steps.append(step(&random)) }
            return steps + [.matchersCome]
        case 1:
            // Commits that the copy lacks. A recreated topic meanwhile would be a second loss.
            let between = (0..<Int.random(in: 0..<4, using: &random)).map { _ in step(&random) }.filter {
                $0 != .remake
            }
            return [.copyStore] + between + [.lose(.olderStore)]
        case 2:
            return [
                .lose([Loss.changes, .deliveryState, .deliveries, .commands].randomElement(using: &random)!),
                save(&random),
            ]
        case 3, 4:
            let user = Int.random(in: 0..<2, using: &random)
            let device = Int.random(in: 0..<2, using: &random)
            return [
                save(&random), .register(user: user, device: device), .oldJournal(user: user),
                .poll(user: user, device: device),
            ]
        case 6: return [save(&random), save(&random), .powerCut(random.next()), save(&random), save(&random)]
        case 5: return [.oldSubscriptions, subscribe(&random), save(&random), save(&random)]
        default: return [step(&random)]
        }
    }

    private static func step(_ random: inout SeededGenerator) -> Step {
        let user = Int.random(in: 0..<2, using: &random)
        let device = Int.random(in: 0..<2, using: &random)
        switch Int.random(in: 0..<23, using: &random) {
        case 0, 1: return .register(user: user, device: device)
        case 2: return .unregister(user: user, device: device)
        case 3, 4: return subscribe(&random)
        case 5: return .unsubscribe(user: user, subscription: Int.random(in: 0..<past.upperBound, using: &random))
        case 6: return .markRead(user: user, device: device)
        case 7...10: return .poll(user: user, device: device)
        case 11: return .restore(user: user, device: device)
        case 12:
            if Int.random(in: 0..<4, using: &random) == 0 { return .remake }
            return .wait(days: Bool.random(using: &random) ? 2 : 0)
        case 13: return .setBadge(user: user, device: device, value: Int64.random(in: 0..<4, using: &random))
        case 14: return .subscribeToPast(user: user, subscription: Int.random(in: past, using: &random))
        default: return save(&random)
        }
    }

    static func save(_ random: inout SeededGenerator) -> Step {
        let device = Int.random(in: 0..<2, using: &random)
        return .save(
            user: Int.random(in: 0..<2, using: &random), device: Bool.random(using: &random) ? device : nil,
            record: Int.random(in: 0..<4, using: &random), number: Int64.random(in: 0..<8, using: &random))
    }

    static func subscribe(_ random: inout SeededGenerator) -> Step {
        let subscription = Int.random(in: 0..<past.lowerBound, using: &random)
        return .subscribe(
            user: Int.random(in: 0..<2, using: &random), subscription: subscription,
            above: Int64.random(in: 0..<6, using: &random), once: subscription == 2)
    }
}
