import FileSystem
import JSON
import Operations
import Settings

extension Command {
    static let load = Command(
        name: "load",
        usage:
            "load --url URL --api-token TOKEN [--rate N] [--seconds N] [--subscribers N] [--scenario FILE] [--report FILE]",
        summary: "saves real records at a set rate and reports rates, latencies and whether anything was lost",
        settings: [.common, .containers, .target, .client, .loading]
    ) { reading in
        let configuration = reading.configuration
        var plan = LoadPlan(
            rate: configuration.loading.rate, duration: .seconds(configuration.loading.seconds),
            subscribers: configuration.loading.subscribers,
            user: configuration.client.user.isEmpty ? "load" : configuration.client.user,
            database: try Clients.database(configuration), patience: .seconds(configuration.loading.patienceSeconds))
        plan.devices = configuration.loading.devices
        if !configuration.loading.scenario.isEmpty {
            try plan.take(scenario: try Files.read(configuration.loading.scenario))
        }
        let report = try await LoadRun(client: try Clients.anonymous(configuration), plan: plan).execute {
            [wanted = plan.count] in
            Output.progress("\($0.saved) of \(wanted) saved, \($0.received) notifications, \($1) records to come")
        }
        Output.progress("")
        if !configuration.loading.report.isEmpty {
            try Files.replace(configuration.loading.report, with: Array(report.html.utf8))
        }
        if configuration.printing.isJSON {
            Output.line(String(decoding: try report.json.serialized(), as: UTF8.self))
        } else {
            Output.text(report.text)
        }
        return report.isClean ? ExitCode.done : ExitCode.differences
    }
}

extension Configuration {
    /// `load`.
    struct Loading: Sendable {
        var rate = 100.0
        var seconds = 10
        var subscribers = 10
        var patienceSeconds = 30
        var devices = 1
        var scenario = ""
        var report = ""
    }
}

extension SettingGroup {
    static let loadSettings: [Setting<Configuration>] = [
        Setting("database", \.client.database, "public or private", allowed: database),
        Setting("rate", \.loading.rate, in: 0.1...1_000_000, "records a second"),
        Setting("seconds", \.loading.seconds, in: 1...86_400, "how long records are saved"),
        Setting("subscribers", \.loading.subscribers, in: 1...10_000, "users with a device and a subscription each"),
        Setting(
            "patience-seconds", \.loading.patienceSeconds, in: 0...3600,
            "how long to wait for the last notifications, and to repeat requests without an answer"),
        Setting("devices", \.loading.devices, in: 1...10_000, "devices of each subscriber"),
        Setting(
            "scenario", \.loading.scenario,
            "a JSON file with phases and the rest, instead of flags: scripts/load has examples"
        ),
        Setting("report", \.loading.report, "a file for the report as a page with charts"),
    ]
}
