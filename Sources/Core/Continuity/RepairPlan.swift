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
        /// Matching starts again at the start of recreated topics.
        case restartMatching(topics: [String])
        /// Matching goes back to what delivery has seen, so that hits that were in a lost topic are made again.
        case rewindMatching
        /// Delivery keeps its state and starts again at the start of `deliveries`, which was recreated.
        case restartDelivery
        /// Delivery's state is rebuilt from the journals, and the entries that `deliveries` still holds are delivered
        /// again; readers drop duplicates.
        case rebuildDelivery
        /// The outputs of later entries of `deliveries` get names that no journal has.
        case beginGeneration
        /// The topic `subscriptions` is made to hold what the store holds.
        case publishSubscriptions
        /// Devices that only one half knows are registered again, or removed.
        case compareDevices
        /// All devices are registered again, under new epochs: their feeds start again with the journal.
        case renewDevices
        /// The topic `push-addresses` is made to hold what the store holds.
        case publishAddresses
        /// Commands are read from the first existing one.
        case restartCommands
        /// Commands that are there were for another store and are passed by.
        case skipCommands
    }

    /// The steps, in order.
    package let steps: [Step]
    /// Topics that have to be made first.
    package let missingTopics: [String]
    /// True if the feeds are in the topics of an earlier version: no repair changes that.
    package let isOfFormerLayout: Bool
    /// True if a migration of the feeds has to be finished first.
    package let needsMigration: Bool

    /// Plans the steps.
    /// - Parameters:
    ///     - differences: the differences that were found.
    ///     - parts: the parts that the operator asks for besides.
    ///     - isRestored: true if the operator has restored the log from copies.
    ///     - published: the highest sequence in the log, as far as it is known.
    ///     - unfinished: the steps of an interrupted repair: their differences may be gone by now.
    package init(
        _ differences: [IdentityDifference], rebuilding parts: Set<Part> = [], isRestored: Bool = false,
        published: Int64, unfinished: [Step] = []
    ) {
        var steps = Set(unfinished)
        var missing: [String] = []
        var recreated: Set<String> = []
        for difference in differences {
            switch difference {
            case .recordLost, .repairUnfinished, .migrationUnfinished, .formerLayout: break
            case .topicLost(let topic): missing.append(topic)
            case .topicRecreated(let topic): recreated.insert(topic)
            case .otherLog, .olderLog:
                steps.formUnion([
                    .beginGeneration, .publishSubscriptions, .renewDevices, .publishAddresses, .restartCommands,
                ])
            case .otherStore:
                steps.formUnion([
                    .skipSequences(through: published + Self.margin), .publishSubscriptions, .compareDevices,
                    .publishAddresses, .skipCommands,
                ])
            case .olderStore, .otherOwner:
                steps.formUnion([
                    .skipSequences(through: published + Self.margin), .publishSubscriptions, .compareDevices,
                    .publishAddresses,
                ])
            }
        }
        let isOtherLog = differences.contains { if case .otherLog = $0 { true } else { false } }
        if isRestored { steps.insert(.beginGeneration) }
        // On another log everything begins at the start by itself, under other names.
        if isOtherLog { steps.remove(.beginGeneration) } else { steps.formUnion(Self.steps(recreated)) }
        if parts.contains(.subscriptions) { steps.insert(.publishSubscriptions) }
        if parts.contains(.devices) { steps.insert(.renewDevices) }
        if parts.contains(.delivery) { steps.formUnion([.rebuildDelivery, .renewDevices]) }
        if parts.contains(.commands) { steps.insert(.restartCommands) }
        if steps.contains(.renewDevices) { steps.remove(.compareDevices) }
        if steps.contains(.skipCommands) { steps.remove(.restartCommands) }
        self.steps = steps.sorted { $0.place < $1.place }
        missingTopics = missing
        isOfFormerLayout = differences.contains(.formerLayout)
        needsMigration = differences.contains(.migrationUnfinished)
    }

    /// Sequences that are left out beyond the highest that is known: what a relay was publishing when it died.
    private static let margin: Int64 = 100_000

    private static func steps(_ recreated: Set<String>) -> Set<Step> {
        var steps: Set<Step> = []
        let changes = recreated.filter { $0.hasPrefix("changes.") }.sorted()
        if !changes.isEmpty { steps.insert(.restartMatching(topics: changes)) }
        if recreated.contains("subscriptions") { steps.insert(.publishSubscriptions) }
        if recreated.contains("push-addresses") { steps.insert(.publishAddresses) }
        if recreated.contains("commands") { steps.insert(.restartCommands) }
        // Change tokens count in the topic that is gone.
        if recreated.contains("journals") { steps.insert(.renewDevices) }
        if recreated.contains("delivery-state") {
            steps.formUnion([.rebuildDelivery, .renewDevices])
        } else if recreated.contains("deliveries") {
            steps.formUnion([.restartDelivery, .rewindMatching, .compareDevices])
        }
        return steps
    }
}

extension RepairPlan.Step: CustomStringConvertible {
    /// The step's place in the order, its name in the store, and its text for operators.
    private var row: (place: Int, name: String, description: String) {
        switch self {
        case .skipSequences(let through):
            (
                0, "skip-sequences \(through)",
                "the store goes on at sequence \(through + 1), above all that the log has from it; what the log has and the store has not is given up, and sync tokens from then expire"
            )
        case .restartMatching(let topics):
            (
                1, (["restart-matching"] + topics).joined(separator: " "),
                "matching begins at the start of \(topics.joined(separator: ", ")); changes that were lost there before they were matched notify nobody"
            )
        case .rewindMatching:
            (
                2, "rewind-matching",
                "matching goes back to the position of delivery, and makes the lost hits again; backfills of subscriptions are delivered again, and delivery drops duplicates"
            )
        case .restartDelivery:
            (
                3, "restart-delivery",
                "delivery keeps its state and begins at the start of deliveries; read marks and badges that were lost there stay lost, and so do hits that waited for the past of their subscription"
            )
        case .rebuildDelivery:
            (
                4, "rebuild-delivery",
                "delivery's state is made from the journals, and what deliveries holds is delivered once more, which readers drop; badges and older read marks are forgotten"
            )
        case .beginGeneration:
            (5, "begin-generation", "later notifications get names that no journal has, as the log was restored")
        case .publishSubscriptions:
            (6, "publish-subscriptions", "the topic subscriptions is made to hold what the store holds")
        case .compareDevices:
            (
                7, "compare-devices",
                "devices that only the store knows are registered again; those that only delivery knows are removed"
            )
        case .renewDevices:
            (
                8, "renew-devices",
                "all devices are registered again: their change tokens expire, and they read the history again"
            )
        case .publishAddresses:
            (9, "publish-addresses", "the topic push-addresses is made to hold what the store holds")
        case .restartCommands: (10, "restart-commands", "commands are read from the first existing one")
        case .skipCommands:
            (11, "skip-commands", "commands that are there are passed by: they were for another store")
        }
    }

    private static let withoutValues: [RepairPlan.Step] = [
        .rewindMatching, .restartDelivery, .rebuildDelivery, .beginGeneration, .publishSubscriptions, .compareDevices,
        .renewDevices, .publishAddresses, .restartCommands, .skipCommands,
    ]

    fileprivate var place: Int { row.place }

    package var description: String { row.description }

    /// The name with its values, as a store keeps the started steps.
    package var text: String { row.name }

    /// Reads a step back; nil when it is none that this version knows.
    package init?(text: String) {
        let words = text.split(separator: " ").map { String($0) }
        switch words.first {
        case "skip-sequences"?:
            guard words.count == 2, let through = Int64(words[1]) else { return nil }
            self = .skipSequences(through: through)
        case "restart-matching"?: self = .restartMatching(topics: Array(words.dropFirst()))
        default:
            guard let known = Self.withoutValues.first(where: { $0.text == text }) else { return nil }
            self = known
        }
    }
}
