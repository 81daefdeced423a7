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
    ) { served, user in
        try await served.identity.endSessions(of: user)
        return [:]
    }

    static let usersBlock = userCommand("block", "shuts a user out: ends all sessions, and lets no new one begin") {
        served, user in
        try await served.identity.setBlocked(true, user)
        return [:]
    }

    static let usersUnblock = userCommand("unblock", "lets a user who was blocked sign in again") { served, user in
        try await served.identity.setBlocked(false, user)
        return [:]
    }

    static let usersDelete = userCommand(
        "delete",
        "removes a user for good: sessions, devices, subscriptions, shares, the private database, name and address"
    ) { served, user in
        try await served.identity.removeUser(user)
        let removal = try await served.records.removeAll(of: user)
        return [
            "devices": .integer(Int64(removal.devices)), "subscriptions": .integer(Int64(removal.subscriptions)),
            "shares": .integer(Int64(removal.shares)), "zones": .integer(Int64(removal.zones)),
            "records": .integer(Int64(removal.records)),
        ]
    }

    /// A command about one user.
    private static func userCommand(
        _ verb: String, _ summary: String,
        _ work: @escaping @Sendable (ServedScope, UserRecordName) async throws -> JSONObject
    ) -> Command {
        Command(
            name: "users \(verb)",
            usage: "users \(verb) USER --data DIR [--container NAME] [--environment NAME] [--json]", summary: summary,
            settings: administrating
        ) { reading in
            let wanted = try StoreCommand.operand(reading, "one user: a record name, an address, or a development name")
            return try await StoreCommand.run(reading) { served in
                let found = try await served.identity.users(named: wanted)
                guard let user = found.first, found.count == 1 else {
                    Output.error("there is no user '\(wanted)'; fanfare users list shows those there are")
                    return ExitCode.failed
                }
                var json: JSONObject = ["userRecordName": .string(user.rawValue), "done": .string(verb)]
                let more = try await work(served, user)
                for (key, value) in more { json[key] = value }
                if reading.configuration.printing.isJSON {
                    Output.line(String(decoding: try JSONValue.object(json).serialized(), as: UTF8.self))
                } else {
                    let counts = more.map { " \($0.key) \($0.value.integer ?? 0)" }.joined(separator: ",")
                    Output.line("\(user) \(verb)\(counts.isEmpty ? "" : ":\(counts)")")
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
