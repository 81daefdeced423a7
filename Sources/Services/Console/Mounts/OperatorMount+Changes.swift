import CloudJSON
import CloudModel
import EventLog
import JSON
import RecordService
import WebAPI

extension OperatorMount {
    static let changes: [OperatorEndpoint] = [
        OperatorEndpoint("changes/read", .readsPeople) { try await $0.readChanges() },
        OperatorEndpoint("explain", .readsPeople) { try await $0.explain() },
    ]
}

extension OperatorCall {
    /// The database that the body names.
    fileprivate func database() throws(CloudError) -> DatabaseScope? {
        guard let name = try body["database"]?.string() else { return nil }
        guard let database = DatabaseScope(name) else {
            throw .badRequest("database is public, private or shared, not '\(name.prefix(80))'")
        }
        return database
    }

    /// Indicates whether values of records are left out: in production an operator reads no private database.
    private func hidesValues(of database: DatabaseScope) -> Bool {
        scope.scope.environment == .production && database != .public
    }

    /// A page of the changes of a database.
    fileprivate func readChanges() async throws -> JSONValue {
        guard let database = try database() else { throw CloudError.badRequest("the body needs 'database'") }
        var partition: Int32?
        if let number = try body["partition"]?.integer() {
            guard let known = Int32(exactly: number) else { throw CloudError.badRequest("there is no such partition") }
            partition = known
        }
        let page = ChangePage(system.log, records.layout, database)
        let (rows, bounds, next) = try await page.read(from: try start(), partition: partition, limit: try limit())
        let hides = hidesValues(of: database)
        let writer = ChangeRowJSON(hidesValues: hides)
        let partitions = bounds.sorted { $0.key < $1.key }.map { number, held -> JSONValue in
            [
                "partition": .integer(Int64(number)), "start": .integer(held.start), "end": .integer(held.end),
                "next": .integer(next[number] ?? held.end),
            ]
        }
        return [
            "changes": .array(rows.map(writer.row)), "partitions": .array(partitions), "valuesLeftOut": .bool(hides),
        ]
    }

    private func start() throws(CloudError) -> ChangePage.Start {
        if let time = try body["time"]?.integer() { return .time(Timestamp(milliseconds: time)) }
        guard let from = body["from"] else { return .latest }
        var offsets: [Int32: Int64] = [:]
        for place in try from.elements(atMost: Limits.operatorPageMax) {
            let number = try place.required("partition").integer()
            guard let partition = Int32(exactly: number) else { throw .badRequest("there is no partition \(number)") }
            offsets[partition] = try place.required("offset").integer()
        }
        return .offsets(offsets)
    }

    /// Why a subscription did or did not notify of a change.
    fileprivate func explain() async throws -> JSONValue {
        guard let explain = system.explain else {
            throw CloudError(.accessDenied, "this process cannot read the log's positions, so that it explains nothing")
        }
        let change = try body.required("change")
        let question = OperatedSystem.Question(
            change: try change.value.integer.map { "\($0)" } ?? change.string(),
            subscription: try body.required("subscriptionID").identifier(SubscriptionID.self),
            user: body["user"] == nil ? nil : try await user(), database: try database())
        var json = try await explain(scope.scope, question)
        let database = (json["database"]?.string).flatMap { DatabaseScope($0) } ?? .private
        let hides = hidesValues(of: database)
        if hides, let steps = json["steps"]?.array {
            json["steps"] = .array(steps.map(Self.withoutValues))
        }
        json["valuesLeftOut"] = .bool(hides)
        return .object(json)
    }

    /// A step as it is without the values of records, which its details have.
    private static func withoutValues(_ step: JSONValue) -> JSONValue {
        var kept = JSONObject()
        for (key, value) in step.object ?? [:] where ["step", "outcome", "text"].contains(key) { kept[key] = value }
        return .object(kept)
    }
}
