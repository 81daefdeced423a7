import CloudMessages
import CloudModel
import EventLog
import JSON
import ProtocolBuffers
import RecordService
import TestSupport
import Testing

/// Users with subscriptions and devices on a bench, whose changes are traced.
struct TracedWorld: Sendable {
    let bench: ConsoleBench
    let alice: Caller
    let bob: Caller

    /// Makes two users; in production also the record type.
    init(_ bench: ConsoleBench) async throws {
        self.bench = bench
        alice = try await bench.system.user("alice")
        bob = try await bench.system.user("bob")
        guard bench.system.layout.scope.environment == .production else { return }
        let text: JSONValue = """
            DEFINE SCHEMA
                -- SUBSCRIPTION Task: n GREATER_THAN_OR_EQUALS ON create, update, delete
            RECORD TYPE Task (
                n INT64 QUERYABLE, long STRING, secret STRING,
                GRANT WRITE TO "_creator", GRANT CREATE TO "_icloud", GRANT READ TO "_world");
            """
        let seen = try await bench.ask("schema/difference", ["text": text])
        let made = try await bench.ask(
            "schema/modify", ["text": text, "digest": try #require(seen.json["digest"], "\(seen.text)")])
        #expect(made.status == 200, "\(made.text)")
    }

    /// Registers a device.
    func register(_ id: String, _ caller: Caller) async throws -> Device {
        try await bench.system.service.registerDevice(DeviceID(trusted: id), name: "", platform: "", for: caller)
    }

    /// Subscribes to tasks, with a number of at least `least`.
    func subscribe(
        _ id: String, _ caller: Caller, atLeast least: Int64 = 0, in database: DatabaseScope = .public
    ) async throws {
        let filter = GivenFilter(
            field: .field(FieldName(trusted: "n")), comparator: .greaterThanOrEquals,
            operand: .value(GivenValue(.int64(least), isTypeExplicit: false)))
        let draft = SubscriptionDraft(
            id: SubscriptionID(trusted: id),
            query: GivenQuery(recordType: RecordType(trusted: "Task"), filters: [filter]),
            zone: nil, firesOn: [.create, .update, .delete], firesOnce: false,
            notificationInfo: NotificationInfo(alertBody: "x", shouldBadge: false))
        let results = try await bench.system.service.modifySubscriptions([.create(draft)], in: database, for: caller)
        #expect(!results.contains { if case .failed = $0 { true } else { false } }, "\(results)")
    }

    /// Saves a task.
    func save(
        _ name: String, _ number: Int64, _ caller: Caller, in database: DatabaseScope = .public,
        texts: [String: String] = [:]
    ) async throws {
        var fields = [FieldName(trusted: "n"): GivenValue(.int64(number), isTypeExplicit: false)]
        for (name, text) in texts {
            fields[FieldName(trusted: name)] = GivenValue(.string(text), isTypeExplicit: false)
        }
        let operation = RecordOperation(
            kind: .forceUpdate, recordName: RecordName(trusted: name), recordType: RecordType(trusted: "Task"),
            fields: fields)
        let results = try await bench.system.service.modifyRecords([operation], in: database, for: caller)
        #expect(!results.contains { if case .failed = $0 { true } else { false } }, "\(results)")
    }

    /// The number of the latest change of a record, once it is on the log.
    func change(of record: String, in database: DatabaseScope = .public) async throws -> Int64 {
        let layout = bench.system.layout
        return try await answer("the change of \(record)") { [memory = bench.memory] in
            var found: Int64?
            for number in 0..<layout.partitions {
                try await memory.readToEnd(of: TopicPartition(layout.changes(database), number)) { entry in
                    guard let change = try? ChangeEvent(decoding: entry.value ?? []).change(),
                        change.matched?.name.rawValue == record
                    else { return }
                    found = max(found ?? 0, change.sequence.rawValue)
                }
            }
            return found
        }
    }

    /// The explanation of a change, once the stages have come to it.
    func explain(
        _ change: JSONValue, _ subscription: String, user: Caller? = nil, database: DatabaseScope? = nil
    ) async throws -> Answer {
        var body: JSONObject = ["change": change, "subscriptionID": .string(subscription)]
        if let user = user?.user { body["user"] = .string(user.rawValue) }
        if let database { body["database"] = .string("\(database)") }
        let question = JSONValue.object(body)
        return try await answer("the stages") { [bench] in
            let answer = try await bench.ask("explain", question)
            return answer.json["verdictCode"]?.string?.hasPrefix("waitsFor") == true ? nil : answer
        }
    }
}
