import CPostgreSQL

/// A message of NOTIFY.
package struct PostgreSQLNotification: Sendable, Equatable {
    /// The name of the channel.
    package var channel: String
    /// The text that the sender gave; may be empty.
    package var payload: String
    /// The server process of the sender.
    package var process: Int32
}

extension PostgreSQLConnection {
    /// Listens at a channel until the connection ends.
    package func listen(to channel: String) throws { try execute("LISTEN \(quoted(channel))") }

    /// Returns the notifications that have arrived, and waits for the first one for at most `limit`; empty after that.
    /// A cancellation does not end the wait.
    package func notifications(within limit: Duration) throws -> [PostgreSQLNotification] {
        try flush()
        var found = takeNotifications()
        guard found.isEmpty else { return found }
        try wire.begin("wait for notifications", within: limit)
        while found.isEmpty {
            guard let isConnected = try wire.waitForArrival() else { break }
            // Parses the bytes that were read.
            _ = PQisBusy(wire.handle)
            found = takeNotifications()
            guard isConnected || !found.isEmpty else { throw wire.lose() }
        }
        return found
    }

    /// A name as an identifier in a statement.
    /// - Throws: `misuse` for a name with a NUL.
    package func quoted(_ identifier: String) throws -> String {
        // libpq would take the text up to the NUL.
        guard !identifier.utf8.contains(0),
            let text = PQescapeIdentifier(wire.handle, identifier, identifier.utf8.count)
        else { throw PostgreSQLError(.misuse, "no name of UTF-8 without NUL", attempt: "quote a name") }
        defer { PQfreemem(text) }
        return String(cString: text)
    }

    private func takeNotifications() -> [PostgreSQLNotification] {
        var found: [PostgreSQLNotification] = []
        while let notification = PQnotifies(wire.handle) {
            defer { PQfreemem(notification) }
            found.append(
                PostgreSQLNotification(
                    channel: String(cString: notification.pointee.relname),
                    payload: String(cString: notification.pointee.extra), process: notification.pointee.be_pid))
        }
        return found
    }
}
