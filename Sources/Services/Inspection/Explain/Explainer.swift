import CloudMessages
package import CloudModel
import Matching
import ProtocolBuffers

/// Explains from the topics why a subscription did or did not notify of a change.
package struct Explainer: Sendable {
    /// No subscription, or several, have the given ID.
    package struct Ambiguity: Error, CustomStringConvertible {
        package let description: String
    }

    /// Returns the position that a device has read to; nil if it is unknown.
    package typealias Places = @Sendable (_ device: DeviceID) async throws -> ReadPlace?

    private let evidence: LogEvidence
    private let places: Places
    private let pushLogs: PushLogs
    private let hasValues: Bool

    /// - Parameters:
    ///   - pushLogs: what push senders noted.
    ///   - hasValues: false leaves out the values of records and of predicates, for an operator who reads no private ones.
    package init(
        _ evidence: LogEvidence, pushLogs: PushLogs = PushLogs([]), hasValues: Bool = true,
        places: @escaping Places = { _ in nil }
    ) {
        self.hasValues = hasValues
        self.evidence = evidence
        self.pushLogs = pushLogs
        self.places = places
    }

    /// Returns the subscription with an ID, of the given user and database, or of any.
    /// - Throws: `Ambiguity` when there is none, or several.
    package func subscription(
        _ id: SubscriptionID, of user: UserRecordName?, in database: DatabaseScope?
    ) async throws -> SubscriptionKey {
        var found: Set<SubscriptionKey> = []
        for version in try await evidence.subscriptions({ user == nil || $0 == user }).versions {
            if version.key.id == id, database == nil || version.key.database == database { found.insert(version.key) }
        }
        guard let key = found.first else {
            throw Ambiguity(description: "nobody has or had a subscription '\(id)' in \(evidence.layout.scope)")
        }
        guard found.count == 1 else {
            let keys = found.map { "--user \($0.user) --database \($0.database)" }.sorted().prefix(5)
            throw Ambiguity(
                description: "several have a subscription '\(id)'; say which: \(keys.joined(separator: ", or "))")
        }
        return key
    }

    /// Explains one change and one subscription.
    package func explain(_ sequence: CommitSequence, _ key: SubscriptionKey) async throws -> Explanation {
        let frontier = try await Frontier.look(at: evidence) { $0 == key.user }
        let history = try await evidence.subscriptions { $0 == key.user }
        let known = try await evidence.user(key.user)
        let devices = known?.devices ?? []
        var read: [DeviceID: ReadPlace] = [:]
        for device in devices {
            let id = DeviceID(trusted: device.device)
            read[id] = try await places(id)
        }
        var builder = ExplanationBuilder(
            Explanation(change: sequence, subscription: key, hasValues: hasValues), evidence.layout, frontier, read)
        let found = try await FoundChange.find(sequence, in: key.database, evidence)
        guard builder.judge(found, history.versions.filter { $0.key == key }) else { return builder.ended }
        if known?.isRemoved == true {
            builder.step(.journal, .no, "the user was removed, with all notifications")
            builder.verdict = .userRemoved
            return builder.ended
        }
        builder.holds = known?.holds ?? []
        guard try await builder.takeDelivery(of: found, evidence) else { return builder.ended }
        try await lookIntoJournal(&builder, committed: found?.change.committed, holding: known?.held ?? [])
        for device in devices { builder.takeFeed(of: DeviceID(trusted: device.device), DeviceEpoch(device.epoch)) }
        let hasPolicy =
            devices.contains { $0.policies != nil }
            || history.versions.contains { $0.key == key && $0.saved?.subscription.notificationInfo.policy != nil }
        try await lookForPushes(&builder, devices, hasPolicy: hasPolicy, committed: found?.change.committed)
        return builder.ended
    }

    /// Looks for the push of the notification, for those that stand for it by a policy, and for what a policy holds.
    private func lookForPushes(
        _ builder: inout ExplanationBuilder, _ devices: [DeviceState], hasPolicy: Bool, committed: Timestamp?
    ) async throws {
        let (key, change) = (builder.explanation.subscription, builder.explanation.change)
        guard let name = builder.name, let push = try await PushEvidence.find(name, of: key.user, evidence) else {
            return
        }
        guard hasPolicy else { return try builder.takePush(name, push, pushLogs, committed: committed) }
        let isHeld = builder.takeHeld(devices)
        let later = try await push.later(than: name, of: change, key, evidence)
        if push.entry != nil || later.isEmpty && !isHeld {
            try builder.takePush(name, push, pushLogs, committed: committed)
        }
        for one in later { try builder.takePush(one.name, one.push, pushLogs, committed: nil) }
    }

    /// Looks for the notification in the journal: by the name that its hit gives it, or by the time of the change. All of
    /// the journal is read only if it is not there, and should be.
    private func lookIntoJournal(
        _ builder: inout ExplanationBuilder, committed: Timestamp?, holding held: Set<CommitSequence>
    ) async throws {
        let user = builder.explanation.subscription.user
        let sought = builder
        var found: DeliveredEntry?
        if let offset = builder.delivery {
            found = try await evidence.delivered(
                of: user, madeFrom: offset, in: builder.frontier.incarnation
            ) { sought.isSought($0) }
        } else if let committed {
            found = try await evidence.delivered(of: user, since: committed) { sought.isSought($0) }
        }
        if let found { return builder.takeJournal([found], nil, holding: held) }
        if builder.isLate { return builder.takeJournal([], nil, holding: held) }
        let journal = try await evidence.delivered(of: user)
        var cuts = JournalCuts()
        let cut = try await cuts.cut(of: user, from: journal?.start ?? 0, evidence)
        builder.takeJournal(journal?.entries ?? [], cut, holding: held)
    }
}
