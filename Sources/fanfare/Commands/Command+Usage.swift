import CloudModel
import JSON
import RecordService
import RecordStore
import SQLiteRecordStore
import Settings

extension Command {
    static let usersUsage = Command(
        name: "users usage",
        usage: "users usage --data DIR [--user RECORDNAME] [--container NAME] [--environment NAME] [--json]",
        summary: "shows what users have of what they may have; safe beside the running service",
        settings: [.common, .containers, .store, .target, .client]
    ) { reading in
        let configuration = reading.configuration
        let scope = try configuration.target
        let store = try Backends.store(configuration, scope, role: .visitor)
        let service = RecordService(
            layout: Backends.layout(configuration, scope), store: store,
            options: RecordService.Options(subscriptionsMax: configuration.subscriptionsMax))
        var users = try await service.usersWithUsage()
        if !configuration.user.isEmpty { users = [try await user(configuration.user, store)] }
        for user in users {
            for line in text(of: user, try await service.usage(of: user), isJSON: configuration.isJSON) {
                Output.line(line)
            }
        }
        await store.close()
        return ExitCode.done
    }

    /// A user by record name, or by the name of the sign-in for development.
    private static func user(_ name: String, _ store: SQLiteRecordStore) async throws -> UserRecordName {
        if name.hasPrefix("_") { return UserRecordName(trusted: name) }
        guard let user = try await store.read({ try $0.user(.development(name)) }) else {
            throw SettingsError("there is no user '\(name)'; give a userRecordName")
        }
        return user
    }

    /// One JSON object, or a line for each that is not zero.
    private static func text(
        of user: UserRecordName, _ lines: [RecordService.UsageLine], isJSON: Bool
    ) -> [String] {
        guard isJSON else {
            return [user.rawValue]
                + lines.filter { $0.used > 0 }.map { "  \($0.name): \($0.used) of \($0.quota)" }
        }
        var usage = JSONObject()
        for line in lines { usage[line.name] = ["used": .integer(line.used), "quota": .integer(line.quota)] }
        let value: JSONValue = ["user": .string(user.rawValue), "usage": .object(usage)]
        return [(try? value.serialized()).map { String(decoding: $0, as: UTF8.self) } ?? ""]
    }
}
