import CloudModel
import Identity
import JSON
import RecordService
import RecordStore
import Settings

/// Administration of users, beside the running service.
extension Command {
    /// The number of users read at once.
    private static let usersPage = 1000

    static let usersList = Command(
        name: "users list", usage: "users list --data DIR [--container NAME] [--environment NAME] [--json]",
        summary: "lists those who have signed in, a line each", settings: administrating
    ) { reading in
        try await StoreCommand.run(reading) { served in
            var last = ""
            while true {
                let users = try await served.identity.listUsers(after: last, limit: usersPage)
                for user in users {
                    try Output.line(UserText.line(user, isJSON: reading.configuration.printing.isJSON))
                }
                guard users.count == usersPage, let next = users.last else { return ExitCode.done }
                last = next.profile.name.rawValue
            }
        }
    }

    static let usersSignOut = userCommand(
        "sign-out", "ends all sessions and web couriers of a user, at once also in the running service"
    ) { served, user, _ in
        try await served.identity.endSessions(of: user)
        return [:]
    }

    static let usersBlock = userCommand("block", "shuts a user out: ends all sessions, and lets no new one begin") {
        served, user, _ in
        try await served.identity.setBlocked(true, user)
        return [:]
    }

    static let usersUnblock = userCommand("unblock", "lets a blocked user sign in again") { served, user, _ in
        try await served.identity.setBlocked(false, user)
        return [:]
    }

    static let usersDelete = userCommand(
        "delete",
        "removes a user for good: sessions, devices, subscriptions, shares, the private database with its files, name and address; and says what remains",
        touchesFiles: true
    ) { served, user, configuration in
        try await served.identity.removeUser(user)
        let removal = try await served.records.removeAll(of: user)
        // Rows that wait for the log have the records in them.
        let patience: Duration =
            Backends.isServed(configuration, served.records.scope) ? publishingPatience : .zero
        let isPublished = try await served.records.untilPublished(atMost: patience)
        let isErased = try await served.records.store.eraseDeleted()
        return [
            "devices": .integer(Int64(removal.devices)), "subscriptions": .integer(Int64(removal.subscriptions)),
            "shares": .integer(Int64(removal.shares)), "zones": .integer(Int64(removal.zones)),
            "records": .integer(Int64(removal.records)), "files": .integer(Int64(removal.files)),
            "isPublished": .bool(isPublished), "isErased": .bool(isErased),
        ]
    }

    /// The time that `users delete` waits for a running record-service to publish what it changed.
    private static let publishingPatience = Duration.seconds(60)

    /// The remains of a user who was removed, and their times.
    private static func remains(_ configuration: Configuration, _ outcome: JSONObject) -> [String] {
        var lines = [
            "records in the public database: until somebody deletes them, under a record name that leads to nobody",
            "changes in the log: \(configuration.changesRetentionDays) days; deliveries: \(configuration.deliveriesRetentionDays); journals and feeds: \(configuration.feedsRetentionDays)",
            "subscriptions in matchers' table-snapshots: until the next snapshot; the folder may be emptied at any time",
            "names of deleted records and zones that others shared: until the record-service's tombstone-retention-days have passed",
            "files that others' records refer to or that others have just uploaded: as long as those; the user's files that were replaced before: 48 hours",
            "copies of 'fanfare backup': until you delete them",
        ]
        if outcome["isPublished"] == false {
            lines.append(
                "changes that wait in the store for the log, with the records: until the record-service has published them"
            )
        }
        if outcome["isErased"] == false {
            lines.append("texts in the store's write-ahead log, as readers were in the way: until it is written over")
        }
        return lines
    }

    /// A command about one user.
    private static func userCommand(
        _ verb: String, _ summary: String, touchesFiles: Bool = false,
        _ work: @escaping @Sendable (ServedScope, UserRecordName, Configuration) async throws -> JSONObject
    ) -> Command {
        Command(
            name: "users \(verb)",
            usage: "users \(verb) USER --data DIR [--container NAME] [--environment NAME] [--json]", summary: summary,
            settings: administrating, takesWords: true
        ) { reading in
            let wanted = try StoreCommand.operand(reading, "one user: a record name, an address, or a development name")
            let configuration = reading.configuration
            return try await StoreCommand.run(reading, touchesFiles: touchesFiles) { served in
                let found = try await served.identity.users(named: wanted)
                guard let user = found.first, found.count == 1 else {
                    Output.error("there is no user '\(wanted)'; fanfare users list shows those there are")
                    return ExitCode.failed
                }
                var json: JSONObject = ["userRecordName": .string(user.rawValue), "done": .string(verb)]
                let more = try await work(served, user, configuration)
                for (key, value) in more { json[key] = value }
                let remains = touchesFiles ? remains(configuration, more) : []
                if touchesFiles { json["remains"] = .array(remains.map { .string($0) }) }
                if configuration.printing.isJSON {
                    Output.line(String(decoding: try JSONValue.object(json).serialized(), as: UTF8.self))
                } else {
                    let counts = more.compactMap { key, value in value.integer.map { " \(key) \($0)" } }
                    Output.line("\(user) \(verb)\(counts.isEmpty ? "" : ":")\(counts.joined(separator: ","))")
                    if !remains.isEmpty { Output.line("what remains, and for how long:") }
                    for line in remains { Output.line("  \(line)") }
                }
                return ExitCode.done
            }
        }
    }
}

/// Lines about users.
private enum UserText {
    static func line(_ user: ListedUser, isJSON: Bool) throws -> String {
        guard isJSON else {
            let words = [
                user.profile.name.rawValue, user.profile.email ?? "–", user.identity.issuer, user.identity.subject,
                user.isBlocked ? "blocked" : "", user.isDiscoverable ? "discoverable" : "",
            ]
            return words.filter { !$0.isEmpty }.joined(separator: "  ")
        }
        var json: JSONObject = [
            "userRecordName": .string(user.profile.name.rawValue), "issuer": .string(user.identity.issuer),
            "subject": .string(user.identity.subject), "created": .integer(user.created.milliseconds),
            "isBlocked": .bool(user.isBlocked), "isDiscoverable": .bool(user.isDiscoverable),
        ]
        if let email = user.profile.email { json["emailAddress"] = .string(email) }
        if let name = user.profile.givenName { json["givenName"] = .string(name) }
        if let name = user.profile.familyName { json["familyName"] = .string(name) }
        return String(decoding: try JSONValue.object(json).serialized(), as: UTF8.self)
    }
}
