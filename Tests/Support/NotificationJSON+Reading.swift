package import CloudJSON
package import CloudModel
package import JSON
package import Push

extension NotificationJSON {
    /// The text of a notification, read.
    package func json(_ notification: Notification) -> JSONValue {
        // Written notifications are JSON: for others null fails every comparison.
        (try? JSONValue(parsing: bytes(notification))) ?? .null
    }
}

extension PushPayload {
    /// The text of the payload, read.
    package var json: JSONValue { (try? JSONValue(parsing: bytes)) ?? .null }
}
