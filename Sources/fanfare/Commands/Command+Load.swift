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
            Output.line(report.text)
        }
        return report.isClean ? ExitCode.done : ExitCode.differences
    }
}
