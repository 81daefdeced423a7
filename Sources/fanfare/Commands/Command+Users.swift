import CloudModel
import Console
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
        "sign-out", "ends all sessions, web couriers and pushes of a user, at once also in the running service"
    ) { served, user, _ in
        try await served.identity.endSessions(of: user)
        return [:]
    }

    static let usersBlock = userCommand(
        "block", "shuts a user out: ends all sessions and pushes, and lets no new session begin"
    ) { served, user, _ in
        try await served.identity.setBlocked(true, user)
        return [:]
    }

    static let usersUnblock = userCommand("unblock", "lets a blocked user sign in again, and sends pushes again") {
        served, user, _ in
        try await served.identity.setBlocked(false, user)
        return [:]
    }

    static let usersDelete = userCommand(
        "delete",
        "removes a user for good: sessions, devices, subscriptions, shares, the private database with its files, name and address; and says what remains",
        touchesFiles: true
    ) { served, user, configuration in
        let patience: Duration =
            Backends.isServed(configuration, served.records.scope) ? publishingPatience : .zero
        return try await UserDeletion(served.identity, served.records).run(user, patience: patience)
    }

    /// The time that `users delete` waits for a running record-service to publish what it changed.
    private static let publishingPatience = Duration.seconds(60)

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
                let remains = touchesFiles ? UserDeletion.remains(configuration.retention, more) : []
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
        return String(decoding: try JSONValue.object(UserReport.json(user)).serialized(), as: UTF8.self)
    }
}
