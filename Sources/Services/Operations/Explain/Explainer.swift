import CloudMessages
package import CloudModel
import EventLog
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

    /// - Parameter pushLogs: what push senders noted.
    package init(
        _ evidence: LogEvidence, pushLogs: PushLogs = PushLogs([]), places: @escaping Places = { _ in nil }
    ) {
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
        let known = try await evidence.users { $0 == key.user }[key.user]
        let devices = known?.devices ?? []
        var read: [DeviceID: ReadPlace] = [:]
        for device in devices {
            let id = DeviceID(trusted: device.device)
            read[id] = try await places(id)
        }
        var builder = ExplanationBuilder(
            Explanation(change: sequence, subscription: key), evidence.layout, frontier, read)
        let found = try await FoundChange.find(sequence, in: key.database, evidence)
        guard builder.judge(found, history.versions.filter { $0.key == key }) else { return builder.ended }
        try await builder.takeDelivery(of: found, evidence)
        let journal = try await evidence.delivered(in: evidence.layout.journal(key.user))
        builder.takeJournal(journal?.start ?? 0, journal?.entries ?? [], holding: known?.held ?? [])
        for device in devices {
            let (id, epoch) = (DeviceID(trusted: device.device), DeviceEpoch(device.epoch))
            if evidence.layout.feeds == .sharded {
                // It reads the journal.
                let delivered = journal?.entries.filter { $0.concerns(device.device, device.epoch) }
                builder.takeFeed(of: id, epoch, journal?.start ?? 0, delivered ?? [])
                continue
            }
            let feed = try await evidence.delivered(in: evidence.layout.feed(id, epoch))
            builder.takeFeed(of: id, epoch, feed?.start ?? 0, feed?.entries)
        }
        if let name = builder.name, let push = try await PushEvidence.find(name, of: key.user, evidence) {
            try builder.takePush(push, pushLogs, committed: found?.change.committed)
        }
        return builder.ended
    }
}
