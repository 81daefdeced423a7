import CloudJSON
import CloudMessages
import CloudModel
import JSON
import Poison
import RecordService
import RecordStore
import Telemetry
import WebAPI

extension OperatorMount {
    static let overview: [OperatorEndpoint] = [
        OperatorEndpoint("overview", .reads) { try await $0.overview() },
        OperatorEndpoint("settings", .reads, isOfService: true) { ["settings": .array($0.system.settings)] },
    ]

    static let running: [OperatorEndpoint] = [
        OperatorEndpoint("stages", .reads) { try await $0.stages() },
        OperatorEndpoint("poison/list", .reads) { call in
            let table = try await PoisonLedger.table(on: call.system.log, call.records.layout)
            return ["entries": .array(table.setAside.map { .object(PoisonReport.json($0.place, $0.item)) })]
        },
        OperatorEndpoint("poison/retry", .changesInSteps) { try await $0.retryPoison() },
        OperatorEndpoint("log", .reads, isOfService: true) { try $0.logLines() },
    ]

    static let record: [OperatorEndpoint] = [
        OperatorEndpoint("actions", .readsPeople) { try await $0.actions() }
    ]
}

extension OperatorCall {
    /// The build, its readiness, the types, and the number of entries set aside.
    fileprivate func overview() async throws -> JSONValue {
        let obstacles = await system.obstacles()
        let schema = try await records.schema()
        let table = try await PoisonLedger.table(on: system.log, records.layout)
        let stages = await loggedStages().lines.map { $0.json(scope: "\(scope.scope)") }
        var json: JSONObject = [
            "container": .string(scope.scope.container.rawValue),
            "environment": .string(scope.scope.environment.rawValue), "version": .string(system.version),
            "isReady": .bool(obstacles.isEmpty), "obstacles": .array(obstacles.map { .string($0) }),
            "recordTypes": .array(schema.types.keys.sorted().map { .string($0.rawValue) }),
            "setAside": .integer(Int64(table.setAside.count)), "stages": .array(stages),
        ]
        if let refusal = records.refusal { json["refusal"] = .string(refusal) }
        return .object(json)
    }

    /// The stages of this container's environment, in whichever process they run.
    private func loggedStages() async -> LoggedStages.Answer {
        await LoggedStages(system.log, records.layout, now: records.now).read(own: system.stages())
    }

    /// The stages, and the rows that wait for the log.
    fileprivate func stages() async throws -> JSONValue {
        let answer = await loggedStages()
        let outbox = try await WaitingOutbox(of: records.store, totals: records.waitingOutbox, now: records.now())
        var json: JSONObject = [
            "stages": .array(answer.lines.map { $0.json(scope: "\(scope.scope)") }), "outbox": outbox.json,
        ]
        if !answer.obstacles.isEmpty { json["obstacles"] = .array(answer.obstacles.map { .string($0) }) }
        return .object(json)
    }

    /// Tries the entries that the body names, or all that were not tried before.
    fileprivate func retryPoison() async throws -> JSONValue {
        let isAll = try body["all"]?.bool() ?? false
        var names: [String] = []
        for name in try body["entries"]?.elements(atMost: Limits.operatorPageMax) ?? [] {
            names.append(try name.string())
        }
        guard isAll != !names.isEmpty else {
            throw CloudError.badRequest("the body needs 'entries', as poison/list names them, or 'all'")
        }
        let table = try await PoisonLedger.table(on: system.log, records.layout)
        var results: [JSONValue] = []
        for (place, item) in table.setAside where isAll ? item.retried == nil : names.contains("\(place)") {
            let outcome = try await PoisonLedger.retry(
                place, in: table, on: system.log, records.layout, at: records.now())
            results.append([
                "entry": .string("\(place)"), "outcome": .string(PoisonReport.text(outcome)),
                "isDone": .bool(PoisonReport.isDone(outcome)),
            ])
        }
        let known = Set(table.setAside.map { "\($0.place)" })
        for name in names where !known.contains(name) {
            results.append(["entry": .string(name), "outcome": "is not set aside", "isDone": false])
        }
        return ["entries": .array(results)]
    }

    /// Lines of the process's log after a number.
    fileprivate func logLines() throws -> JSONValue {
        let level = try text("level")
        guard level.isEmpty || LogLevel(name: level) != nil else {
            throw CloudError.badRequest("level is debug, info, warning or error, not '\(level.prefix(80))'")
        }
        let (lines, next) = LogTail.shared.lines(
            after: try body["after"]?.integer() ?? 0, atLeast: LogLevel(name: level) ?? .debug,
            containing: try text("contains"), limit: try limit())
        return [
            "lines": .array(
                lines.map { line in
                    var json: JSONObject = ["number": .integer(line.number)]
                    json["line"] = (try? JSONValue(parsing: Array(line.text.utf8))) ?? .string(line.text)
                    return .object(json)
                }), "next": .integer(next),
        ]
    }

    /// Acts of operators, the latest first.
    fileprivate func actions() async throws -> JSONValue {
        let (before, limit) = (try body["before"]?.integer() ?? .max, try limit())
        let actions = try await records.store.read { try $0.operatorActions(before: before, limit: limit) }
        var json: JSONObject = [
            "actions": .array(actions.map { .object(ActionReport.json($0)) })
        ]
        if actions.count == limit, let last = actions.last { json["next"] = .integer(last.number) }
        return .object(json)
    }
}
