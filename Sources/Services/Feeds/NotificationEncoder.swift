import CloudJSON
package import CloudModel
package import JSON

/// Writes notifications for the devices of one container: with IDs of its key ring and what a push would carry.
package struct NotificationEncoder: Sendable {
    private let identifiers: NotificationIdentifiers
    private let container: ContainerIdentifier

    /// Writes with IDs of this kind, for clients of a container.
    package init(_ identifiers: NotificationIdentifiers, container: ContainerIdentifier) {
        self.identifiers = identifiers
        self.container = container
    }

    /// One notification.
    package func json(_ notification: Notification) -> JSONValue {
        NotificationJSON(identifier: identifiers.encode, payload: { payload($0)?.json }).json(notification)
    }

    /// The push of a notification; nil for one that no push is made of.
    package func payload(_ notification: Notification) -> PushPayload? {
        guard case .query(let content) = notification.content else { return nil }
        return PushPayload(
            id: identifiers.encode(notification.subject), container: container, subscription: content.subscription,
            detail: Self.detail(content), appearance: content.appearance, badge: content.badge)
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
