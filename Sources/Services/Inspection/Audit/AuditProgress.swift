package import CloudModel
package import JSON

/// The progress of an audit, and in the end what it has looked at.
package struct AuditProgress: Hashable, Sendable {
    /// Changes that were read; in several passes each counts once a pass.
    package var changes: Int64 = 0
    /// Changes that are to be read, as far as is known.
    package var changesInAll: Int64 = 0
    /// Notifications that the changes call for.
    package var expected = 0
    /// Users whose journals were compared.
    package var users = 0
    /// Users of the present pass in all.
    package var usersInPass = 0
    /// Feeds of devices that were compared, each by its user's journal.
    package var feeds = 0
    /// Entries of journals that were looked at.
    package var entries = 0
    /// Deliveries that stage 2 has not come to.
    package var behind: Int64 = 0
    /// The time of the first change that is kept in every partition; nil where nothing was removed yet.
    package var since: Timestamp?
    /// Differences.
    package var findings = 0

    package init() {}

    /// The share of its work that is done, 0 to 1, as far as is known: reading the changes is one half, comparing the
    /// users the other one. Another pass makes it smaller.
    package var share: Double {
        let read = changesInAll > 0 ? Double(changes) / Double(changesInAll) : 0
        let compared = usersInPass > 0 ? Double(users) / Double(usersInPass) : 0
        return min(1, (read + compared) / 2)
    }

    /// One line for a terminal.
    package var line: String {
        "\(changes) of \(changesInAll) changes, \(expected) notifications expected, \(users) of \(usersInPass) users, \(feeds) feeds, \(findings) differences"
    }

    /// The same for programs.
    package var json: JSONObject {
        var json: JSONObject = [
            "changes": .integer(changes), "expected": .integer(Int64(expected)), "users": .integer(Int64(users)),
            "feeds": .integer(Int64(feeds)), "entries": .integer(Int64(entries)), "behind": .integer(behind),
            "differences": .integer(Int64(findings)),
        ]
        if let since { json["since"] = .integer(since.milliseconds) }
        return json
    }
}

/// The reason why an audit could not be made.
package struct AuditError: Error, CustomStringConvertible {
    /// A sentence.
    package let description: String
}
