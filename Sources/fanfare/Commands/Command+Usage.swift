import CloudModel
import Console
import Identity
import JSON
import RecordService
import Settings

extension Command {
    /// The number of users read at once.
    private static let usagePage = 1000

    static let usersUsage = Command(
        name: "users usage",
        usage: "users usage --data DIR [--user USER] [--container NAME] [--environment NAME] [--json]",
        summary: "shows what users have of what they may have, in a container's environment",
        settings: [.common, .containers, .store, .quotas, .measuring, .target, .listing]
    ) { reading in
        let configuration = reading.configuration
        var options = RecordService.Options(subscriptionsMax: configuration.subscriptionsMax)
        options.quotas = configuration.quotas.quotas
        return try await StoreCommand.run(reading, options: options) { served in
            @Sendable func show(_ user: UserRecordName) async throws {
                let lines = try await served.records.usage(of: user)
                let texts =
                    configuration.printing.isJSON ? [try UsageText.json(user, lines)] : UsageText.plain(user, lines)
                for text in texts { Output.line(text) }
            }
            guard configuration.measuring.user.isEmpty else {
                let found = try await served.identity.users(named: configuration.measuring.user)
                guard let user = found.first, found.count == 1 else {
                    Output.error(
                        "there is no user '\(configuration.measuring.user)'; fanfare users list shows those there are")
                    return ExitCode.failed
                }
                try await show(user)
                return ExitCode.done
            }
            var last = ""
            while true {
                let users = try await served.records.usersWithUsage(after: last, limit: usagePage)
                for user in users { try await show(user) }
                guard users.count == usagePage, let next = users.last else { return ExitCode.done }
                last = next.rawValue
            }
        }
    }
}

/// Lines about what a user has.
private enum UsageText {
    /// One object; a count without a bound has the quota null.
    static func json(_ user: UserRecordName, _ lines: [RecordService.UsageLine]) throws -> String {
        let value: JSONValue = ["userRecordName": .string(user.rawValue), "usage": UserReport.json(lines)]
        return String(decoding: try value.serialized(), as: UTF8.self)
    }

    /// The name, and a line for each that is not zero.
    static func plain(_ user: UserRecordName, _ lines: [RecordService.UsageLine]) -> [String] {
        [user.rawValue]
            + lines.filter { $0.used > 0 }.map { line in
                "  \(line.name): \(line.used)" + (line.quota.map { " of \($0)" } ?? ", without a bound")
            }
    }
}

extension Configuration {
    /// `users usage`.
    struct Measuring: Sendable {
        var user = ""
    }
}

extension SettingGroup {
    static let measuringSettings: [Setting<Configuration>] = [
        Setting("user", \.measuring.user, "one user alone: a record name, an address, or a development name")
    ]
}
