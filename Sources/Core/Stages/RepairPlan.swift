/// The steps that make halves belong together again: a pure value, so that it can be shown before anything is done.
package struct RepairPlan: Hashable, Sendable {
    /// A part that an operator may have made again although nothing differs.
    package enum Part: String, Hashable, Sendable, CaseIterable {
        case subscriptions, devices, delivery, commands
    }

    /// One step; they are done in the order of their cases.
    package enum Step: Hashable, Sendable {
        /// The store leaves out sequences, so that it gives none that the log has.
        case skipSequences(through: Int64)
        /// Matching begins again at the start of topics that were made anew.
        case restartMatching(topics: [String])
        /// Matching goes back to what delivery has seen, so that hits that were in a lost topic are made again.
        case rewindMatching
        /// Delivery keeps its state and begins again at the start of `deliveries`, which was made anew.
        case restartDelivery
        /// Delivery's state is made from the journals, and what `deliveries` still holds is delivered once more; readers drop
        /// what they know.
        case rebuildDelivery
        /// The topic `subscriptions` is made to hold what the store holds.
        case publishSubscriptions
        /// Devices that only one half knows are registered again, or removed.
        case compareDevices
        /// All devices are registered again, under new epochs: their feeds begin anew with the journal.
        case renewDevices
        /// Commands are read from the start of what is there.
        case restartCommands
        /// Commands that are there were for another store and are passed by.
        case skipCommands
    }

    /// The steps, in order.
    package let steps: [Step]
    /// Topics that have to be made first.
    package let missingTopics: [String]
    /// True if the setting of the layout is not the one that the feeds have: no repair changes that.
    package let needsOtherLayout: Bool

    /// Decides.
    /// - Parameters:
    ///   - differences: what was found.
    ///   - parts: what is wanted beside.
    ///   - published: the highest sequence that the log has, as far as is known.
    ///   - unfinished: the steps of a repair that was cut off: what they mend may look whole by now.
    package init(
        _ differences: [IdentityDifference], rebuilding parts: Set<Part> = [], published: Int64, unfinished: [Step] = []
    ) {
        var steps = Set(unfinished)
        var missing: [String] = []
        var anew: Set<String> = []
        var isOtherLayout = false
        for difference in differences {
            switch difference {
            case .recordLost, .repairUnfinished: break
            case .topicLost(let topic): missing.append(topic)
            case .otherLayout: isOtherLayout = true
            case .topicMadeAnew(let topic): anew.insert(topic)
            case .otherLog, .olderLog: steps.formUnion([.publishSubscriptions, .renewDevices, .restartCommands])
            case .otherStore:
                steps.formUnion([
                    .skipSequences(through: published + Self.margin), .publishSubscriptions, .compareDevices,
                    .skipCommands,
                ])
            case .olderStore:
                steps.formUnion([
                    .skipSequences(through: published + Self.margin), .publishSubscriptions, .compareDevices,
                ])
            }
        }
        let isOtherLog = differences.contains { if case .otherLog = $0 { true } else { false } }
        // On another log everything begins at the start by itself.
        if !isOtherLog { steps.formUnion(Self.steps(anew)) }
        if parts.contains(.subscriptions) { steps.insert(.publishSubscriptions) }
        if parts.contains(.devices) { steps.insert(.renewDevices) }
        if parts.contains(.delivery) { steps.formUnion([.rebuildDelivery, .renewDevices]) }
        if parts.contains(.commands) { steps.insert(.restartCommands) }
        if steps.contains(.renewDevices) { steps.remove(.compareDevices) }
        if steps.contains(.skipCommands) { steps.remove(.restartCommands) }
        self.steps = steps.sorted { $0.place < $1.place }
        missingTopics = missing
        needsOtherLayout = isOtherLayout
    }

    /// Sequences that are left out beyond the highest that is known: what a relay was publishing when it died.
    private static let margin: Int64 = 100_000

    private static func steps(_ anew: Set<String>) -> Set<Step> {
        var steps: Set<Step> = []
        let changes = anew.filter { $0.hasPrefix("changes.") }.sorted()
        if !changes.isEmpty { steps.insert(.restartMatching(topics: changes)) }
        if anew.contains("subscriptions") { steps.insert(.publishSubscriptions) }
        if anew.contains("commands") { steps.insert(.restartCommands) }
        if anew.contains("delivery-state") {
            steps.formUnion([.rebuildDelivery, .renewDevices])
        } else if anew.contains("deliveries") {
            steps.formUnion([.restartDelivery, .rewindMatching, .compareDevices])
        }
        return steps
    }
}

extension RepairPlan.Step: CustomStringConvertible {
    fileprivate var place: Int {
        switch self {
        case .skipSequences: 0
        case .restartMatching: 1
        case .rewindMatching: 2
        case .restartDelivery: 3
        case .rebuildDelivery: 4
        case .publishSubscriptions: 5
        case .compareDevices: 6
        case .renewDevices: 7
        case .restartCommands: 8
        case .skipCommands: 9
        }
    }

    package var description: String {
        switch self {
        case .skipSequences(let through):
            "the store goes on at sequence \(through + 1), above all that the log has from it; what the log has and the store has not is given up, and sync tokens from then expire"
        case .restartMatching(let topics):
            "matching begins at the start of \(topics.joined(separator: ", ")); changes that were lost there before they were matched notify nobody"
        case .rewindMatching:
            "matching goes back to what delivery has seen, and makes the lost hits again; pasts of subscriptions are told again, and what delivery has of them is dropped"
        case .restartDelivery:
            "delivery keeps its state and begins at the start of deliveries; read marks and badges that were lost there stay lost, and so do hits that waited for the past of their subscription"
        case .rebuildDelivery:
            "delivery's state is made from the journals, and what deliveries holds is delivered once more, which readers drop; badges and older read marks are forgotten"
        case .publishSubscriptions: "the topic subscriptions is made to hold what the store holds"
        case .compareDevices:
            "devices that only the store knows are registered again; those that only delivery knows are removed"
        case .renewDevices:
            "all devices are registered again: their change tokens expire, and they read the history anew"
        case .restartCommands: "commands are read from the start of what is there"
        case .skipCommands: "commands that are there are passed by: they were for another store"
        }
    }
}

/// The steps as text, by which a store remembers what was begun.
extension RepairPlan.Step {
    private static let names: [(name: String, step: RepairPlan.Step)] = [
        ("rewind-matching", .rewindMatching), ("restart-delivery", .restartDelivery),
        ("rebuild-delivery", .rebuildDelivery), ("publish-subscriptions", .publishSubscriptions),
        ("compare-devices", .compareDevices), ("renew-devices", .renewDevices),
        ("restart-commands", .restartCommands), ("skip-commands", .skipCommands),
    ]

    /// The step's name, with what it is about.
    package var text: String {
        switch self {
        case .skipSequences(let through): "skip-sequences \(through)"
        case .restartMatching(let topics): (["restart-matching"] + topics).joined(separator: " ")
        default: Self.names.first { $0.step == self }?.name ?? ""
        }
    }

    /// Reads a step back; nil when it is none that this version knows.
    package init?(text: String) {
        let words = text.split(separator: " ").map { String($0) }
        switch words.first {
        case "skip-sequences"?:
            guard words.count == 2, let through = Int64(words[1]) else { return nil }
            self = .skipSequences(through: through)
        case "restart-matching"?: self = .restartMatching(topics: Array(words.dropFirst()))
        default:
            guard let known = Self.names.first(where: { $0.name == words.first }), words.count == 1 else { return nil }
            self = known.step
        }
    }
}
