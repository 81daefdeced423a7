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
            detail: Self.detail(content), appearance: content.appearance, badge: content.badge)
    }

    /// Writes the payload of a notification whose ID is known; an empty object where no push is made.
    package func write(_ notification: Notification, id: String, to writer: inout JSONWriter) {
        guard case .query(let content) = notification.content else {
            writer.beginObject()
            return writer.endObject()
        }
        // What fits, as nearly all do, is written once and nothing else is done with it.
        PushPayload(
            whole: id, container: container, subscription: content.subscription, detail: Self.detail(content),
            appearance: content.appearance, badge: content.badge
        ).write(to: &writer)
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
