package import CloudModel
package import JSON

/// Makes the push payloads of notifications, for clients of one container.
package struct PushPayloads: Sendable {
    private let container: ContainerIdentifier
    private let identifier: @Sendable (NotificationSubject) -> String

    /// Makes payloads with the notifications' IDs, as the feeds show them.
    package init(
        container: ContainerIdentifier, identifier: @escaping @Sendable (NotificationSubject) -> String
    ) {
        self.container = container
        self.identifier = identifier
    }

    /// Makes the payload of a notification; nil for read marks and counts of omitted ones, which are not pushed.
    package func payload(_ notification: Notification) -> PushPayload? {
        guard case .query(let content) = notification.content else { return nil }
        return PushPayload(
            id: identifier(notification.subject), container: container, subscription: content.subscription,
            detail: Self.detail(content), appearance: content.appearance, badge: content.badge,
            changeCount: content.changeCount)
    }

    /// Writes the payload of a notification whose ID is known; an empty object where no push is made.
    package func write(_ notification: Notification, id: String, to writer: inout JSONWriter) {
        guard case .query(let content) = notification.content else {
            writer.beginObject()
            return writer.endObject()
        }
        // What fits, as nearly all do, is written once and nothing else is done with it.
        PushPayload(
            whole: id, container: container, user: content.subscription.user, subscription: content.subscription,
            detail: Self.detail(content), appearance: content.appearance, badge: content.badge,
            changeCount: content.changeCount
        ).write(to: &writer)
    }

    /// Makes the payload of an entry of `pushes`.
    /// - Parameters:
    ///   - badge: nil leaves it as it is.
    ///   - read: the newest changes whose notifications were read, ascending.
    ///   - asSilent: true leaves out all that the user notices.
    func payload(
        _ content: PushedContent, of user: UserRecordName, badge: Int64?, read: [Int64], asSilent: Bool
    ) -> PushPayload {
        var payload =
            switch content {
            case .notification(let notification), .omitted(let notification):
                self.payload(notification, badge: badge, asSilent: asSilent)
            case .read, .badge:
                PushPayload(
                    whole: "", container: container, user: user, subscription: nil, detail: .mark,
                    appearance: Appearance(), badge: badge)
            }
        payload.read = read.reversed().map {
            identifier(NotificationSubject(user: user, change: CommitSequence($0)))
        }
        return payload
    }

    private func payload(_ notification: Notification, badge: Int64?, asSilent: Bool) -> PushPayload {
        let id = identifier(notification.subject)
        switch notification.content {
        case .query(let content):
            let collapseID = content.appearance.collapseID
            return PushPayload(
                whole: id, container: container, user: content.subscription.user, subscription: content.subscription,
                detail: Self.detail(content),
                appearance: asSilent
                    ? Appearance(isContentAvailable: true, collapseID: collapseID) : content.appearance,
                badge: badge, changeCount: content.changeCount)
        case .omitted(let content):
            return PushPayload(
                whole: id, container: container, user: notification.subject.user, subscription: nil,
                detail: .omitted(content.database, content.zone, count: content.count),
                appearance: Appearance(isContentAvailable: true), badge: badge)
        case .read: preconditionFailure("marks have no notification")
        }
    }

    private static func detail(_ content: Notification.QueryContent) -> PushPayload.Detail {
        switch content.kind {
        case .query:
            .query(reason: content.reason, record: content.recordName, zone: content.zone, fields: content.fields)
        case .zone: .zone(content.zone)
        case .database: .database(content.zone)
        }
    }
}
