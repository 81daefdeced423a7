import CloudModel
import EventLog
import Feeds
import FileSystem
import Inspection
import JSON
import RecordStore
import Settings
import Waiting

/// Commands that answer why.
extension Command {
    static let explain = Command(
        name: "explain",
        usage:
            "explain --change NUMBER --subscription ID \(LogCommand.usage) [--user USER] [--database NAME] [--push-log FILE,…] [--json]",
        summary: "says step by step why a subscription did or did not notify of a change",
        settings: [.common, .containers, .store, .log, .target, .explaining, .listing]
    ) { reading in
        let configuration = reading.configuration
        return try await LogCommand.judge(configuration) { log in
            let store = try LogCommand.store(configuration)
            return try await Task.closing({ await store?.close() }) {
                do {
                    return try await explain(configuration, log, store)
                } catch let error as Explainer.Ambiguity {
                    Output.error("\(error)")
                    return ExitCode.failed
                }
            }
        }
    }

    /// The push-logs that are named, or the one in the data folder.
    static func pushLogs(_ configuration: Configuration) throws -> PushLogs {
        let own = Backends.pushLog(configuration, try configuration.target)
        let named = configuration.explaining.pushLogs
        return PushLogs(named.isEmpty ? [own].filter(Files.exists) : named)
    }

    private static func explain(
        _ configuration: Configuration, _ log: JudgedLog, _ store: (any RecordStore)?
    ) async throws -> Int32 {
        let asked = configuration.explaining
        let keys = try? Backends.keys(configuration, mayMake: false)
        let pushLogs = try pushLogs(configuration)
        guard let id = try? SubscriptionID(asked.subscription) else {
            throw SettingsError("--subscription names the subscription")
        }
        let user = asked.user.isEmpty ? nil : UserRecordName(trusted: asked.user)
        let key = try await Explainer(log.evidence).subscription(id, of: user, in: DatabaseScope(asked.database))
        let number = Int64(asked.change).map { CommitSequence($0) }
        // A notification's ID, as its user sees it, names the change as well.
        guard let change = number ?? keys.flatMap({ NotificationIdentifiers($0).decode(asked.change, of: key.user) })
        else {
            throw SettingsError(
                "--change takes a change's number (the header fanfare-sequence), or a notificationID of \(key.user)")
        }
        let explanation = try await log.withJournals(of: key.user) { evidence in
            let explainer = Explainer(evidence, pushLogs: pushLogs) { device in
                guard let stored = try await store?.read({ try $0.device(device) }), let keys else { return nil }
                return NotificationWays.place(of: stored, keys)
            }
            return try await explainer.explain(change, key)
        }
        if configuration.printing.isJSON {
            Output.line(try text(explanation.json))
        } else {
            for line in explanation.lines { Output.line(line) }
        }
        return explanation.isLost ? ExitCode.differences : ExitCode.done
    }

    static let audit = Command(
        name: "audit",
        usage: "audit \(LogCommand.usage) [--from TIME] [--to TIME] [--devices ID,…] [--json]",
        summary:
            "recomputes every expected notification and compares it with the journals; exits 3 on differences",
        settings: [.common, .containers, .store, .log, .target, .auditing, .listing]
    ) { reading in
        let configuration = reading.configuration
        let isJSON = configuration.printing.isJSON
        var plan = AuditPlan()
        plan.from = Timestamp(iso8601: configuration.auditing.from)
        plan.to = Timestamp(iso8601: configuration.auditing.to)
        plan.devices = Set(try configuration.auditing.devices.map { try DeviceID($0) })
        return try await LogCommand.judge(configuration) { log in
            do {
                let done = try await log.withJournals { try await audit($0, plan, isJSON: isJSON) }
                Output.progress("")
                Output.line(isJSON ? try text(done.json) : AuditText.summary(done))
                return done.findings == 0 ? ExitCode.done : ExitCode.differences
            } catch let error as AuditError {
                Output.progress("")
                Output.error("\(error)")
                return ExitCode.failed
            }
        }
    }

    private static func audit(_ evidence: LogEvidence, _ plan: AuditPlan, isJSON: Bool) async throws -> AuditProgress {
        try await ExplainedAudit(evidence, plan).run(progress: { Output.progress($0.line) }) { finding, verdict in
            Output.progress("")
            guard isJSON else {
                Output.line(finding.line)
                if let verdict { Output.line("    explain: \(verdict)") }
                return
            }
            Output.line(try text(finding.json(verdict: verdict)))
        }
    }

    private static func text(_ json: JSONObject) throws -> String {
        String(decoding: try JSONValue.object(json).serialized(), as: UTF8.self)
    }
}

/// The last line of an audit.
private enum AuditText {
    static func summary(_ done: AuditProgress) -> String {
        var words = [
            "\(done.changes) changes call for \(done.expected) notifications;",
            "\(done.feeds) feeds and their users' journals have \(done.entries) entries:",
            done.findings == 0 ? "no difference" : "\(done.findings) difference\(done.findings == 1 ? "" : "s")",
        ]
        if done.behind > 0 { words.append("(\(done.behind) deliveries are still on their way)") }
        if let since = done.since { words.append("(changes before \(since.iso8601) are not all kept)") }
        return words.joined(separator: " ")
    }
}

extension Configuration {
    /// `explain`.
    struct Explaining: Sendable {
        var change = ""
        var subscription = ""
        var user = ""
        var database = ""
        var pushLogs: [String] = []
    }

    /// `audit`.
    struct Auditing: Sendable {
        var from = ""
        var to = ""
        var devices: [String] = []
    }
}

extension SettingGroup {
    static let explanationSettings: [Setting<Configuration>] = [
        Setting(
            "change", \.explaining.change,
            "the change: its number, which is in the header fanfare-sequence, or the ID of a notification about it"),
        Setting("subscription", \.explaining.subscription, "the subscription's ID"),
        Setting(
            "user", \.explaining.user,
            "the record name of the subscription's owner, where several have one of that ID"),
        Setting("database", \.explaining.database, "public, private or shared, where the owner has one in several") {
            text in
            text.isEmpty || DatabaseScope(text) != nil ? nil : "is public, private or shared, not '\(text)'"
        },
        Setting(
            "push-log", \.explaining.pushLogs,
            "the push-logs of senders, separated by commas; when absent that of the data folder"),
    ]

    static let auditSettings: [Setting<Configuration>] = [
        Setting(
            "from", \.auditing.from, "only changes committed at this time or later, such as 2026-03-01T12:00:00Z",
            allowed: time),
        Setting("to", \.auditing.to, "only changes committed at this time or earlier", allowed: time),
        Setting("devices", \.auditing.devices, "only these devices, by commas, and their users' journals") { ids in
            for id in ids where (try? DeviceID(id)) == nil { return "names devices by their IDs, not '\(id)'" }
            return nil
        },
    ]

    @Sendable private static func time(_ text: String) -> String? {
        text.isEmpty || Timestamp(iso8601: text) != nil ? nil : "is a time such as 2026-03-01T12:00:00Z, not '\(text)'"
    }
}
