import TestSupport

/// Parts of a history that options ask for: without them the history of a seed stays as it was.
struct Extras: Hashable, Sendable {
    /// Private databases, and a zone that is shared.
    var hasDatabases = false
    /// Two or three losses.
    var hasLosses = false
    /// A second record-service on a copy of the store.
    var hasCopiedStore = false

    /// The options of the command line.
    var arguments: String {
        (hasDatabases ? "--databases " : "") + (hasLosses ? "--losses " : "")
            + (hasCopiedStore ? "--copied-store " : "")
    }
}

extension Script {
    /// Adds the parts that options ask for.
    /// - Parameter mayLose: false for policies, with which nothing is lost.
    mutating func add(_ extras: Extras, mayLose: Bool, _ random: inout SeededGenerator) {
        if extras.hasDatabases { addDatabases(&random) }
        if extras.hasLosses, mayLose { addLosses(&random) }
        if extras.hasCopiedStore, mayLose { addCopiedStore(&random) }
    }

    /// Takes half of the saves and of the changes of subscriptions to private databases, and adds a zone that is shared.
    private mutating func addDatabases(_ random: inout SeededGenerator) {
        steps = steps.flatMap { step -> [Step] in
            switch step {
            case .save, .subscribe, .subscribeToPast, .unsubscribe:
                let chosen = Bool.random(using: &random) ? Step.privately(step) : step
                return [chosen] + Self.sharedStep(&random)
            default: return [step]
            }
        }
        steps.insert(.share, at: Int.random(in: 0...min(4, steps.count), using: &random))
    }

    private static func sharedStep(_ random: inout SeededGenerator) -> [Step] {
        let user = Int.random(in: 0..<2, using: &random)
        let device = Int.random(in: 0..<2, using: &random)
        switch Int.random(in: 0..<10, using: &random) {
        case 0, 1: return [.watchZones(user: user)]
        case 2: return [.unwatchZones(user: user)]
        case 3...6:
            return [
                .saveInShare(
                    user: user, device: Bool.random(using: &random) ? device : nil,
                    record: Int.random(in: 0..<4, using: &random), number: Int64.random(in: 0..<8, using: &random))
            ]
        default: return []
        }
    }

    /// Adds losses until there are two or three, but none between a copy of the store and its return. No brokers lose
    /// power.
    private mutating func addLosses(_ random: inout SeededGenerator) {
        steps.removeAll { if case .powerCut = $0 { true } else { false } }
        let wanted = Int.random(in: 2...3, using: &random)
        for _ in steps.count(where: \.isLoss)..<wanted {
            var block: [Step] = [.lose(Loss.allCases.randomElement(using: &random)!), Self.save(&random)]
            if block[0] == .lose(.olderStore) { block.insert(contentsOf: [.copyStore, Self.save(&random)], at: 0) }
            let places = (0...steps.count).filter { place in
                steps[..<place].last { $0 == .copyStore || $0 == .lose(.olderStore) } != .copyStore
            }
            steps.insert(contentsOf: block, at: places.randomElement(using: &random)!)
        }
    }

    /// Adds a second record-service on a copy of the store: users save by either for a while, then one of the two is
    /// stopped. Nothing else is lost.
    private mutating func addCopiedStore(_ random: inout SeededGenerator) {
        steps.removeAll { $0.isLoss || $0 == .remake || $0 == .copyStore }
        var block: [Step] = [.copyService(isStopped: Bool.random(using: &random))]
        for _ in 0..<Int.random(in: 0...6, using: &random) {
            let (user, device) = (Int.random(in: 0..<2, using: &random), Int.random(in: 0..<2, using: &random))
            block.append(
                Int.random(in: 0..<4, using: &random) == 0
                    ? .poll(user: user, device: device) : Self.save(&random))
        }
        block += [.stopService(random.next()), Self.save(&random), Self.save(&random)]
        steps.insert(contentsOf: block, at: Int.random(in: min(2, steps.count)...steps.count, using: &random))
    }
}
