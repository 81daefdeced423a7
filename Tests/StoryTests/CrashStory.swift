import CloudModel
import FanfareCloudKit
import Foundation
import JSON
import Matching
import Synchronization
import TestSupport
import Testing

/// Every process dies by SIGKILL, several times, in the middle of 5,000 saves: the feeds hold what the plain evaluator
/// calls for, nothing lost, doubled or out of order, and so does the file that `device-client` wrote.
@Suite struct CrashStory {
    @Test("kill -9 of every process in the middle of 5,000 saves", arguments: StorySystem.Kind.available)
    func killing(_ kind: StorySystem.Kind) async throws {
        let system = try await StorySystem.start(kind)
        let alice = try await Listener(system, "alice", limits: [10, 50], devices: ["phone", "laptop"])
        let bob = try await Listener(system, "bob", limits: [100], devices: ["tablet"])
        let client = alice.deviceClient(system, device: 0)
        try client.start()
        let publisher = try await Publisher(system)
        let killer = Task {
            try await killAll(system, client, publisher)
        }
        try await within("the saves") { try await publisher.run() }
        try await within("the kills") { try await killer.value }
        for listener in [alice, bob] {
            try await listener.check(publisher.saved)
        }
        // The client has nothing left to read: it ends by itself.
        await client.kill()
        let last = alice.deviceClient(system, device: 0, arguments: ["--until-caught-up"])
        #expect(try await last.run().code == 0)
        let file = try String(contentsOfFile: alice.outputFile(system), encoding: .utf8)
        let lines = try file.split(separator: "\n").map { StoryUser.Note(try JSONValue(parsing: Array($0.utf8))) }
        #expect(try await lines == alice.user.feed(alice.devices[0]).notes)
        try await system.stop()
    }

    /// Kills each process twice while saves are under way, and starts it again.
    private func killAll(
        _ system: StorySystem, _ client: FanfareProcess, _ publisher: Publisher
    ) async throws {
        let victims = system.processes.values.map { $0 } + [client]
        for round in 0..<2 {
            for (index, victim) in victims.enumerated() {
                let step = round * victims.count + index + 1
                let threshold = publisher.total * step / (2 * victims.count + 1)
                try await eventually("\(threshold) saves") { publisher.count >= threshold }
                await victim.kill()
                try victim.start()
            }
        }
    }
}

/// A user with subscriptions on ranges of `number`, and devices that listen.
private struct Listener: Sendable {
    let user: StoryUser
    let limits: [Int64]
    let devices: [String]

    init(_ system: StorySystem, _ name: String, limits: [Int64], devices names: [String]) async throws {
        user = try await system.user(name)
        self.limits = limits
        var devices: [String] = []
        for name in names { devices.append(try await user.register(name)) }
        self.devices = devices
        for limit in limits {
            try await user.subscribe(
                "below\(limit)", to: "Crash",
                filters: [
                    ["fieldName": "number", "comparator": "LESS_THAN", "fieldValue": ["value": .integer(limit)]]
                ])
        }
    }

    func outputFile(_ system: StorySystem) -> String { system.folder.path("notifications-\(devices[0]).jsonl") }

    /// `device-client` on this user's device: on Kafka offsets, or over HTTP where there is no Kafka.
    func deviceClient(_ system: StorySystem, device: Int, arguments: [String] = []) -> FanfareProcess {
        var words = ["device-client", "--device", devices[device], "--output", outputFile(system)] + arguments
        switch system.kind {
        case .kafka: words += ["--token-key-file", system.folder.path("data/token.keys")]
        case .embedded:
            words += [
                "--url", system.url, "--api-token", system.apiToken, "--web-auth-token", user.client.webAuthToken!,
            ]
        }
        return system.command(words, name: "device-client-\(arguments.count)")
    }

    /// Compares all feeds with what the plain evaluator calls for.
    func check(_ saved: [Saved]) async throws {
        let expected = saved.flatMap { saved in
            limits.filter { subscription($0).fires(on: saved.change) }.map {
                "\(saved.name) \(saved.reason) below\($0)"
            }
        }
        var orders: [[String]] = []
        for device in devices {
            let feed = try await user.feed(device, atLeast: expected.count)
            let delivered = feed.notes.map { "\($0.record ?? "") \($0.reason ?? "") \($0.subscription ?? "")" }
            #expect(
                delivered.count == expected.count && Set(delivered).count == delivered.count,
                "lost or doubled on \(device)")
            #expect(Set(delivered) == Set(expected))
            var places: [String: Int] = [:]
            for (place, text) in delivered.enumerated() { places[text] = place }
            for text in delivered where text.contains(" recordUpdated ") {
                let creation = text.replacing(" recordUpdated ", with: " recordCreated ")
                if let created = places[creation] { #expect(created < places[text]!, "out of order: \(text)") }
            }
            orders.append(delivered)
        }
        #expect(orders.allSatisfy { $0 == orders[0] }, "the devices of \(user.record) differ in order")
    }

    private func subscription(_ limit: Int64) -> Subscription {
        Subscription(
            key: SubscriptionKey(user: user.record, database: .public, id: SubscriptionID(trusted: "below\(limit)")),
            condition: Subscription.Condition(
                query: Query(
                    recordType: RecordType(trusted: "Crash"),
                    filters: [
                        Filter(
                            field: .field(FieldName(trusted: "number")), comparator: .lessThan,
                            operand: .value(.int64(limit)))
                    ]), zone: nil, firesOn: [.create, .update, .delete], firesOnce: false),
            notificationInfo: NotificationInfo())
    }
}

/// A save that is known to be committed.
private struct Saved: Sendable {
    let name: String
    let reason: String
    let change: Change

    init(name: String, isUpdate: Bool, number: Int64) {
        self.name = name
        reason = isUpdate ? "recordUpdated" : "recordCreated"
        let stamp = RecordStamp(timestamp: Timestamp(milliseconds: 0), user: .defaultOwner, device: nil)
        var fields = RecordFields()
        fields[FieldName(trusted: "number")] = .int64(number)
        let record = Record(
            type: RecordType(trusted: "Crash"), name: RecordName(trusted: name), zone: .publicDefault, changeTag: "",
            created: stamp, modified: stamp, fields: fields)
        change = Change(
            sequence: .zero, lastSubscription: .zero, database: .public, kind: isUpdate ? .updated : .created,
            before: isUpdate ? record : nil, after: record, committed: Timestamp(milliseconds: 0),
            origin: Origin(user: .defaultOwner, device: nil, epoch: nil))
    }
}

/// Saves 2,500 records and updates each once, in requests of 25, four at a time. A request that got no answer is looked
/// into: it was committed as a whole or not at all.
private final class Publisher: Sendable {
    static let requests = 100
    static let batch = 25
    let total = 2 * requests * batch
    private let user: StoryUser
    private let state = Mutex<[Saved]>([])
    private let run = UInt32.random(in: 0 ... .max)

    init(_ system: StorySystem) async throws { user = try await system.user("publisher") }

    var saved: [Saved] { state.withLock { $0 } }
    var count: Int { state.withLock { $0.count } }

    func run() async throws {
        try await withThrowingTaskGroup(of: Void.self) { group in
            for worker in 0..<4 {
                group.addTask {
                    for request in stride(from: worker, to: Self.requests, by: 4) { try await self.save(request) }
                }
            }
            try await group.waitForAll()
        }
    }

    private func save(_ request: Int) async throws {
        let names = (0..<Self.batch).map { "r\(request)-\($0)-\(run)" }
        let tags = try await persist(names, number: { Int64(($0 * 7 + request) % 120) }, tags: nil)
        _ = try await persist(names, number: { Int64(($0 * 11 + request + 1) % 120) }, tags: tags)
    }

    /// Saves until it is known to be committed; returns the new change tags.
    private func persist(_ names: [String], number: (Int) -> Int64, tags: [String]?) async throws -> [String] {
        let operations = names.enumerated().map { index, name -> JSONValue in
            var record: JSONObject = [
                "recordName": .string(name), "recordType": "Crash",
                "fields": ["number": ["value": .integer(number(index))]],
            ]
            if let tags { record["recordChangeTag"] = .string(tags[index]) }
            return ["operationType": .string(tags == nil ? "create" : "update"), "record": .object(record)]
        }
        while true {
            var found: [String]?
            do {
                found = try Self.tags(
                    await user.client.database(.public, "records/modify", ["operations": .array(operations)]))
            } catch {
                found = nil
            }
            if found == nil { found = try await committed(names, before: tags) }
            if let found {
                state.withLock { saved in
                    for (index, name) in names.enumerated() {
                        saved.append(Saved(name: name, isUpdate: tags != nil, number: number(index)))
                    }
                }
                return found
            }
        }
    }

    /// The tags that a request left, when it was committed although its answer was lost.
    private func committed(_ names: [String], before tags: [String]?) async throws -> [String]? {
        let body: JSONValue = ["records": .array(names.map { ["recordName": .string($0)] })]
        let user = user
        let records = try await answer("the record service's return") {
            try? await user.client.database(.public, "records/lookup", body)
        }
        guard let found = Self.tags(records), found != tags ?? [] else { return nil }
        return found
    }

    /// The change tags of an answer's records; nil when one of them is an error.
    private static func tags(_ answer: JSONValue) -> [String]? {
        let tags = answer["records"]?.array?.map { $0["recordChangeTag"]?.string } ?? []
        return tags.contains { $0 == nil } ? nil : tags.compactMap { $0 }
    }
}
