import CloudMessages
package import CloudModel

/// Finds the way of a notification in the topics. It reads a bounded part of them, however long topics and the user's
/// history are, and so calls nothing lost: that is for `Explainer`.
package struct WayFinder: Sendable {
    /// A registered device of the user, as the store has it.
    package struct Device: Sendable {
        package var id: DeviceID
        package var epoch: DeviceEpoch
        package var lastSeen: Timestamp?
        /// The position that it has read to; nil where no token of it is known.
        package var place: ReadPlace?

        package init(id: DeviceID, epoch: DeviceEpoch, lastSeen: Timestamp?, place: ReadPlace?) {
            self.id = id
            self.epoch = epoch
            self.lastSeen = lastSeen
            self.place = place
        }
    }

    /// Returns the devices of a user; nil where no store is at hand, so that the state of stage 2 is read.
    package typealias Devices = @Sendable (_ user: UserRecordName) async throws -> [Device]?

    /// A notification that is looked for.
    package struct Question: Sendable {
        package var change: CommitSequence
        package var user: UserRecordName
        /// The subscription; nil for the first one of the user that notified of the change.
        package var subscription: SubscriptionID?
        /// The database of the change; nil where it is unknown.
        package var database: DatabaseScope?
        /// The creation of the subscription: its backfill is at that place of the journal. Nil where it is unknown.
        package var created: CommitSequence?

        package init(
            change: CommitSequence, user: UserRecordName, subscription: SubscriptionID? = nil,
            database: DatabaseScope? = nil, created: CommitSequence? = nil
        ) {
            self.created = created
            self.change = change
            self.user = user
            self.subscription = subscription
            self.database = database
        }
    }

    private let evidence: LogEvidence
    private let pushLogs: PushLogs
    private let devices: Devices

    package init(
        _ evidence: LogEvidence, pushLogs: PushLogs = PushLogs([]), devices: @escaping Devices = { _ in nil }
    ) {
        self.evidence = evidence
        self.pushLogs = pushLogs
        self.devices = devices
    }

    /// Finds the way of a notification, as far as it is kept.
    /// - Returns: nil where neither the change nor a notification of the user about it is kept.
    package func way(_ question: Question) async throws -> NotificationWay? {
        let bounded = evidence.bounded(bytes: Limits.wayBytesMax)
        let search = WaySearch(bounded, question)
        var builder = WayBuilder(question, evidence.layout)
        var found = WaySearch.Found()
        do {
            try await search.find(&found)
        } catch is ReadingBudget.Spent {
            guard builder.take(found, isWhole: false) else { return nil }
            builder.endEarly()
            return builder.way
        }
        guard builder.take(found) else { return nil }
        guard let journal = found.journal else { return builder.way }
        do {
            for device in try await registered(question.user) { builder.take(journal, of: device) }
            builder.take(readMark: try await search.readMark(after: journal))
            builder.take(try await search.pushes(of: journal), pushLogs)
            // The findings are kept, and there may be more.
            try bounded.budget?.check()
        } catch is ReadingBudget.Spent {
            builder.endEarly()
        }
        return builder.way
    }

    /// The devices of the user. Without a store the state of stage 2 has them, which is read in whole, outside the
    /// budget: it grows with the users of a partition, not with a user's history.
    private func registered(_ user: UserRecordName) async throws -> [Device] {
        if let known = try await devices(user) { return known }
        return try await evidence.user(user)?.devices.map {
            Device(id: DeviceID(trusted: $0.device), epoch: DeviceEpoch($0.epoch), lastSeen: nil, place: nil)
        } ?? []
    }
}
