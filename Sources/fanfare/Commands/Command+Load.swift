import JSON
import Operations
import Settings

extension Command {
    static let load = Command(
        name: "load", usage: "load --url URL --api-token TOKEN [--rate N] [--seconds N] [--subscribers N]",
        summary: "saves real records at a set rate and reports rates, latencies and whether anything was lost",
        settings: [.common, .containers, .target, .client, .loading]
    ) { reading in
        let configuration = reading.configuration
        let plan = LoadPlan(
            rate: configuration.loading.rate, duration: .seconds(configuration.loading.seconds),
            subscribers: configuration.loading.subscribers,
            user: configuration.client.user.isEmpty ? "load" : configuration.client.user,
            database: try Clients.database(configuration), patience: .seconds(configuration.loading.patienceSeconds))
        let report = try await LoadRun(client: try Clients.anonymous(configuration), plan: plan).execute()
        if configuration.printing.isJSON {
            Output.line(String(decoding: try report.json.serialized(), as: UTF8.self))
        } else {
            Output.line(report.text)
        }
        return report.isClean ? ExitCode.done : ExitCode.differences
    }
}
