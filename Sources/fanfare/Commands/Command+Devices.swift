import CloudModel
import Console
import Cryptography
import EventLog
import Feeds
import Identity
import JSON
import RecordService
import RecordStore
import Settings

/// Says where devices and their tokens stand.
extension Command {
    static let tokenInspect = Command(
        name: "token inspect",
        usage: "token inspect TOKEN \(LogCommand.usage) [--token-key-file FILE] [--json]",
        summary: "says whose a change token is, where it stands and how many entries it is behind",
        settings: [.common, .containers, .store, .log, .target, .listing], takesWords: true
    ) { reading in
        let configuration = reading.configuration
        let token = try StoreCommand.operand(reading, "one change token")
        let keys = try Backends.keys(configuration, mayMake: false)
        do {
            // The token itself says which container and environment it is of.
            let identity = try ChangeTokens(keys).inspect(token).identity
            let scope = identity.scope
            return try await LogCommand.run(configuration) { log, _ in
                let standing = try await withFeeds(of: scope, identity.user, on: log, keys, configuration) { feeds in
                    try await feeds.standing(of: token)
                }
                Output.line(
                    configuration.printing.isJSON
                        ? try text(DeviceReport.json(standing))
                        : (["\(scope)", "\(standing.identity.user)"] + StandingText.words(standing)).joined(
                            separator: "  "))
                return ExitCode.done
            }
        } catch let error as CloudError {
            Output.error(error.reason)
            return ExitCode.failed
        }
    }

    static let devicesList = Command(
        name: "devices list",
        usage:
            "devices list --data DIR [--bootstrap-servers HOST:PORT] [--container NAME] [--environment NAME] [--json]",
        summary: "lists the registered devices, where each stands and how many entries it is behind",
        settings: [.common, .containers, .store, .log, .target, .listing]
    ) { reading in
        let configuration = reading.configuration
        let keys = try Backends.keys(configuration, mayMake: false)
        return try await LogCommand.run(configuration) { log, _ in
            try await withFeeds(of: try configuration.target, on: log, keys, configuration) { feeds in
                try await StoreCommand.run(reading) { served in
                    try await list(served, feeds, isJSON: configuration.printing.isJSON)
                }
            }
        }
    }

    private static func list(_ served: ServedScope, _ feeds: FeedService, isJSON: Bool) async throws -> Int32 {
        var last = ""
        while true {
            let users = try await served.identity.listUsers(after: last, limit: usersPage)
            for user in users {
                let (devices, addresses) = try await served.records.store.read {
                    (try $0.devices(of: user.profile.name), try $0.pushAddresses(of: user.profile.name))
                }
                for stored in devices {
                    let own = addresses.filter { $0.device == stored.device.id }
                    try await show(stored, own, feeds, isJSON: isJSON)
                }
            }
            guard users.count == usersPage, let next = users.last else { return ExitCode.done }
            last = next.profile.name.rawValue
        }
    }

    /// - Parameter user: the only user whose feeds are read; nil for those of all users.
    private static func withFeeds<Value>(
        of scope: ContainerEnvironment, _ user: UserRecordName? = nil, on log: any EventLog, _ keys: KeyRing,
        _ configuration: Configuration, _ body: (FeedService) async throws -> Value
    ) async throws -> Value {
        let layout = Backends.layout(configuration, scope)
        return try await LogCommand.withJournals(on: log, layout, of: user) { journals in
            try await body(FeedService(FeedSources(log, layout: layout, journals: journals), keys: keys))
        }
    }

    /// The number of users read at once.
    private static let usersPage = 1000

    private static func show(
        _ stored: StoredDevice, _ addresses: [StoredPushAddress], _ feeds: FeedService, isJSON: Bool
    ) async throws {
        var standing: TokenStanding?
        if let token = stored.token { standing = try? await feeds.standing(of: token) }
        guard isJSON else {
            let device = stored.device
            var words = ["\(device.user)", "\(device.id)", "epoch \(device.epoch)", "seen \(stored.lastSeen.iso8601)"]
            words += standing.map { StandingText.words($0).suffix(2) } ?? ["has not come back with a token"]
            Output.line(words.joined(separator: "  "))
            for address in addresses { Output.line("    \(StandingText.words(address))") }
            return
        }
        Output.line(try text(DeviceReport.json(stored, addresses, standing)))
    }

    private static func text(_ json: JSONObject) throws -> String {
        String(decoding: try JSONValue.object(json).serialized(), as: UTF8.self)
    }
}

/// Writes where a token stands.
enum StandingText {
    /// The device, its place, and how far behind it is.
    static func words(_ standing: TokenStanding) -> [String] {
        let time = standing.place.time.map { ", after \($0.iso8601)" } ?? ""
        return [
            "\(standing.identity.device) (epoch \(standing.identity.epoch))",
            "at \(standing.place.position.offset) of its \(standing.place.part.name)\(time)", behind(standing),
        ]
    }

    /// An address of pushes, and what became of the last ones.
    static func words(_ address: StoredPushAddress) -> String {
        var words = ["\(address.kind) since \(address.registered.iso8601)"]
        words += address.lastSuccess.map { ["last taken \($0.iso8601)"] } ?? []
        words += address.lastFailure.map { ["last failed \($0.time.iso8601): \($0.reason)"] } ?? []
        return words.joined(separator: ", ")
    }

    private static func behind(_ standing: TokenStanding) -> String {
        if let refusal = standing.refusal {
            var words = ["\(refusal)"]
            if let gap = refusal.gap {
                words.append("; lost: \(gap.entries.map { "\($0) entries" } ?? "an unknown number of entries")")
                if let from = gap.from { words.append(" after \(from.iso8601)") }
                if let until = gap.until { words.append(" and before \(until.iso8601)") }
            }
            return words.joined()
        }
        guard let entries = standing.entriesBehind, let notifications = standing.notificationsBehind else {
            return "of another container or environment"
        }
        return entries == 0 ? "up to date" : "\(entries) entries behind, \(notifications) of them notifications"
    }
}
