import CloudModel
import Console
import JSON
import RecordService
import RecordStore
import Settings

extension Command {
    static let actions = Command(
        name: "actions", usage: "actions --data DIR [--limit NUMBER] [--container NAME] [--environment NAME] [--json]",
        summary: "lists the acts of operators with their outcomes, the latest first; refused attempts are among them",
        settings: administrating + [.listingActions]
    ) { reading in
        let configuration = reading.configuration
        return try await StoreCommand.run(reading) { served in
            var (left, before) = (configuration.listingActions.limit, Int64.max)
            while left > 0 {
                let (from, limit) = (before, min(left, Limits.operatorPageMax))
                let actions = try await served.records.store.read { try $0.operatorActions(before: from, limit: limit) }
                for action in actions {
                    Output.line(configuration.printing.isJSON ? try text(action) : words(action))
                }
                guard actions.count == limit, let last = actions.last else { break }
                (left, before) = (left - limit, last.number)
            }
            return ExitCode.done
        }
    }

    private static func text(_ action: OperatorAction) throws -> String {
        String(decoding: try JSONValue.object(ActionReport.json(action)).serialized(), as: UTF8.self)
    }

    private static func words(_ action: OperatorAction) -> String {
        [
            action.time.iso8601, "\(action.who) (\(action.role))", action.act, action.outcome, action.request,
            action.subject,
        ].joined(separator: "  ")
    }
}

extension Configuration {
    /// `actions`.
    struct ListingActions: Sendable {
        var limit = 200
    }
}

extension SettingGroup {
    static let actionSettings: [Setting<Configuration>] = [
        Setting("limit", \.listingActions.limit, in: 1...100_000, "the number of acts that are listed")
    ]
}
