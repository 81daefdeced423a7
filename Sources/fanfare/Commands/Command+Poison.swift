import CloudMessages
import CloudModel
import Console
import EventLog
import JSON
import Poison
import RecordService
import RecordStore
import Settings
import Waiting

extension Command {
    static let poisonList = Command(
        name: "poison list",
        usage:
            "poison list --bootstrap-servers HOST:PORT (or --data DIR) [--container NAME] [--environment NAME] [--json]",
        summary: "lists the entries that are set aside: processes died at them, or they cannot be read",
        settings: [.common, .containers, .store, .log, .target, .listing]
    ) { reading in
        let configuration = reading.configuration
        let layout = Backends.layout(configuration, try configuration.target)
        return try await LogCommand.run(configuration) { log, _ in
            let entries = try await PoisonLedger.table(on: log, layout).setAside
            for (place, item) in entries {
                Output.line(configuration.printing.isJSON ? try json(place, item) : text(place, item))
            }
            if entries.isEmpty, !configuration.printing.isJSON {
                Output.line("nothing is set aside in \(layout.scope)")
            }
            return ExitCode.done
        }
    }

    static let poisonRetry = Command(
        name: "poison retry",
        usage:
            "poison retry ENTRY…|all --bootstrap-servers HOST:PORT (or --data DIR) [--container NAME] [--environment NAME]",
        summary: "appends entries that were set aside to their topics once more, so that they are met again",
        settings: [.common, .containers, .store, .log, .target], takesWords: true
    ) { reading in
        let configuration = reading.configuration
        let layout = Backends.layout(configuration, try configuration.target)
        guard !reading.operands.isEmpty else {
            throw SettingsError("name the entries as 'poison list' does, such as match/changes.public/3@4711, or 'all'")
        }
        // The embedded log has one writer: no other process may have it open.
        let owner =
            configuration.bootstrapServers.isEmpty
            ? try Backends.store(configuration, layout.scope, role: .owner) : nil
        let code = try await LogCommand.run(configuration) { log, _ in
            let table = try await PoisonLedger.table(on: log, layout)
            var isDone = true
            for (place, item) in table.setAside where reading.operands == ["all"] ? item.retried == nil : true {
                guard reading.operands == ["all"] || reading.operands.contains("\(place)") else { continue }
                let outcome = try await PoisonLedger.retry(place, in: table, on: log, layout, at: Timestamp.wallClock())
                Output.line("\(place): \(PoisonReport.text(outcome))")
                isDone = isDone && PoisonReport.isDone(outcome)
            }
            let known = Set(table.setAside.map { "\($0.place)" })
            for name in reading.operands where name != "all" && !known.contains(name) {
                Output.error("\(name): is not set aside; 'fanfare poison list' names those that are")
                isDone = false
            }
            return isDone ? ExitCode.done : ExitCode.failed
        }
        await owner?.close()
        return code
    }

    private static func text(_ place: PoisonPlace, _ item: PoisonTable.Item) -> String {
        let retried = item.retried.map { "; tried again at \($0.iso8601)" } ?? ""
        return "\(item.last.iso8601)  \(place)  \(PoisonReport.reason(item))\(retried)"
    }

    private static func json(_ place: PoisonPlace, _ item: PoisonTable.Item) throws -> String {
        String(decoding: try JSONValue.object(PoisonReport.json(place, item)).serialized(), as: UTF8.self)
    }
}
