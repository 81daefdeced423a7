import CloudJSON
import CloudModel
import EventLog
import Feeds
import JSON
import RecordService
import WebAPI

extension OperatorMount {
    static let changes: [OperatorEndpoint] = [
        OperatorEndpoint("changes/read", .readsPeople) { try await $0.readChanges() },
        OperatorEndpoint("records/history", .readsPeople) { try await $0.history() },
        OperatorEndpoint("explain", .readsPeople) { try await $0.explain() },
        OperatorEndpoint("notifications/way", .readsPeople) { try await $0.way() },
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

    /// A page of the changes of a database.
    fileprivate func readChanges() async throws -> JSONValue {
        guard let database = try database() else { throw CloudError.badRequest("the body needs 'database'") }
        var partition: Int32?
        if let number = try body["partition"]?.integer() {
            guard let known = Int32(exactly: number) else { throw CloudError.badRequest("there is no such partition") }
            partition = known
        }
        let page = try await report(database).page(from: try start(), partition: partition, limit: try limit())
        return .object(page)
    }

    private func report(_ database: DatabaseScope, valueBytesMax usual: Int? = nil) throws(CloudError) -> ChangesReport
    {
        ChangesReport(
            system.log, records.layout, database,
            hidesValues: OperatedSystem.hidesValues(of: database, in: scope.scope),
            valueBytesMax: try valueBytesMax() ?? usual)
    }

    /// The bytes above which values are cut; nil where the body does not say.
    private func valueBytesMax() throws(CloudError) -> Int? {
        guard let bytes = try body["valueBytesMax"]?.integer() else { return nil }
        guard (1...Int64(Limits.recordBytesMax)).contains(bytes) else {
            throw .badRequest("valueBytesMax is 1 to \(Limits.recordBytesMax), not \(bytes)")
        }
        return Int(bytes)
    }

    /// The kept changes of one record.
    fileprivate func history() async throws -> JSONValue {
        guard let database = try database() else { throw CloudError.badRequest("the body needs 'database'") }
        let record = try body.required("recordName").identifier(RecordName.self)
        let given = try body["zoneID"].map { zone throws(CloudError) in try ZoneJSON.readGiven(zone) }
        var owner = given?.owner
        if database == .public {
            owner = .defaultOwner
        } else if owner == nil, body["user"] != nil {
            owner = try await user()
        }
        guard let owner else {
            throw CloudError.badRequest("a private database needs 'user', or the owner in 'zoneID'")
        }
        let zone = ZoneID(name: given?.name ?? .defaultZone, owner: owner)
        return .object(
            try await report(database, valueBytesMax: ChangeRowJSON.fieldBytesMax).history(
                of: record, in: zone, before: try body["before"]?.integer(), limit: try limit()))
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

    /// Explains why a subscription did or did not notify of a change.
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
        if json["valuesLeftOut"] == nil { json["valuesLeftOut"] = false }
        return .object(json)
    }

    /// The way of a notification through the topics.
    fileprivate func way() async throws -> JSONValue {
        guard let find = system.way else {
            throw CloudError(.accessDenied, "this process has no log of notifications, so that it finds no way")
        }
        let subject = try await subject()
        let question = OperatedSystem.WayQuestion(
            subject: subject,
            subscription: try body["subscriptionID"]?.identifier(SubscriptionID.self), database: try database())
        guard let json = try await find(scope.scope, question) else {
            throw CloudError(
                .notFound,
                "neither change \(subject.change) nor a notification of \(subject.user) about it is kept")
        }
        return .object(json)
    }

    /// The notification that the body names: by its ID, or by a change's number and a user.
    private func subject() async throws -> NotificationSubject {
        let owner = body["user"] == nil ? nil : try await user()
        if let id = try body["notificationID"]?.string() {
            return try await NotificationOwner(identity, scope.feeds.identifiers).subject(of: id, owner: owner)
        }
        guard let change = body["change"], let owner else {
            throw CloudError.badRequest("the body needs 'notificationID', or 'change' and 'user'")
        }
        let number = try change.value.string.flatMap { Int64($0) } ?? change.integer()
        return NotificationSubject(user: owner, change: CommitSequence(number))
    }
}
