import CloudModel
import FanfareCloudKit
import Foundation
import HTTPClient
import JSON
import Stages
import TestSupport
import Testing

/// The process ends itself by SIGKILL at each step that has a name, in the middle of an app's day: each step is
/// reached, and nothing is lost, doubled or out of order whichever it was.
@Suite struct KillPointStory {
    private static let readers: [KillPoint] = [.readerFetched, .readerPrinted]
    /// `SendingStories` has them.
    private static let senders: [KillPoint] = [.pushAnswered, .pushCommitting, .pushCommitted]
    /// `RepairStory` and `FeedMigrationStory` have them.
    private static let commands: [KillPoint] = [.repairPrepared, .feedsMoved]
    private static let services = KillPoint.allCases.filter { !(readers + senders + commands).contains($0) }

    @Test("kill -9 at each named step of the service", arguments: services)
    func service(point: KillPoint) async throws {
        let system = try await StorySystem.start(.embedded)
        let dev = try #require(system.processes["dev"])
        let day = try await Day(user: system.user("alice"), system: system)
        #expect(await dev.terminate() == 0)
        try dev.start(with: ["FANFARE_KILL_AT": point.rawValue])
        let killed = Task {
            let code = await dev.ended()
            #expect(code == 9 && dev.complaints.contains(#"{"killed":"\#(point.rawValue)"}"#))
            try dev.start()
        }
        try await within("a day with a death at \(point)") { try await day.run() }
        try await within("the death at \(point)") { try await killed.value }
        try await day.check()
        try await system.stop()
    }

    @Test("kill -9 of device-client at each of its steps: its file loses and doubles nothing", arguments: readers)
    func reader(point: KillPoint) async throws {
        let system = try await StorySystem.shared(.embedded)
        let alice = try await system.user("alice")
        let phone = try await alice.register("phone")
        try await alice.subscribe("all", to: "Read", in: .private)
        try await alice.save((0..<7).map { ("r\($0)", ["n": .integer($0)]) }, type: "Read", in: .private)
        let expected = try await alice.feed(phone, atLeast: 7).notes
        let file = system.folder.path("\(phone).jsonl")
        let printing = system.folder.path("\(phone).token")
        for (output, name) in [(["--output", file], "file"), (["--token-file", printing], "printed")] {
            let client = system.command(
                [
                    "device-client", "--url", system.url, "--api-token", system.apiToken, "--web-auth-token",
                    alice.client.webAuthToken!, "--device", phone, "--until-caught-up", "--format", "json",
                ] + output, name: "\(phone)-\(name)")
            try client.start(with: ["FANFARE_KILL_AT": point.rawValue])
            #expect(await client.ended() == 9 && client.complaints.contains(point.rawValue))
            #expect(try await client.run().code == 0)
            let lines = name == "file" ? try String(contentsOfFile: file, encoding: .utf8) : client.output
            let notes = try lines.split(separator: "\n").map { StoryUser.Note(try JSONValue(parsing: Array($0.utf8))) }
            // Lines printed before their token was stored are printed again; a file cuts them off.
            let isTwice = name == "printed" && point == .readerPrinted
            #expect(notes == (isTwice ? expected + expected : expected))
        }
    }
}

/// An app's day that meets every step: each request is sent until it is answered, and says the same each time.
private struct Day: Sendable {
    let user: StoryUser
    let system: StorySystem
    private let run = UInt32.random(in: 0 ... .max)
    private static let saves = 6
    /// Subscriptions with a backfill, and the records that each delivers, once.
    private static let pasts = (0..<6).map { "past\($0)" }
    private static let old = (0..<10).map { "old\($0)" }
    private static let new = (0..<12).map { "new\($0)" }

    init(user: StoryUser, system: StorySystem) {
        self.user = user
        self.system = system
    }

    private func device(_ name: String) -> DeviceID { DeviceID(trusted: "\(name)-\(run)") }

    func run() async throws {
        for name in ["phone", "tablet"] { try await register(name) }
        // A device with an address has pushes written for it, which nothing here sends.
        try await answered {
            let token = String(repeating: "ab", count: 32)
            _ = try await user.client.device(
                "devices/push",
                [
                    "deviceID": .string(device("phone").rawValue),
                    "apns": ["token": .string(token), "environment": "development"],
                ])
        }
        // A web courier that an answer was lost of is another device, and does no harm.
        try await answered { _ = try await StoryCourier(of: user, in: system) }
        try await answered { try await user.subscribe("all", to: "Note", in: .private) }
        try await answered { try await user.subscribe("once", to: "Note", on: ["create"], once: true, in: .private) }
        for number in 0..<Self.saves { try await create("n\(number)") }
        for name in Self.old { try await create(name, type: "Past", in: .public) }
        // Many subscriptions and changes at once: the relay reads them together, and publishes them one after the
        // other. Backfills are delivered one after the other, and new hits have to wait for them.
        try await withThrowingTaskGroup(of: Void.self) { group in
            for (number, id) in Self.pasts.enumerated() {
                group.addTask { try await answered { try await subscribeToPast(id, above: -1 - number) } }
            }
            for name in Self.new { group.addTask { try await create(name, type: "Past", in: .public) } }
            for number in 0..<20 {
                group.addTask {
                    try await answered { try await user.subscribe("quiet\(number)", to: "Quiet\(number)") }
                }
                group.addTask {
                    try await answered { try await user.save([("loud\(number)", ["n": 1])], type: "Loud") }
                }
            }
            try await group.waitForAll()
        }
        try await answered { try await unregister("tablet") }
        try await eventually("the end of the subscription that fires once") {
            try await answer("the subscriptions") {
                try? await user.subscriptions(in: .private)
            } == ["all"]
        }
        try await register("laptop")
    }

    func check() async throws {
        let delivered = try await answer("the feed of \(device("phone"))") { () -> [StoryUser.Note]? in
            let count = Self.saves + 1 + Self.pasts.count * (Self.old.count + Self.new.count)
            guard let page = try? await user.feed(device("phone").rawValue), page.notes.count >= count else {
                return nil
            }
            return page.notes
        }
        #expect(delivered.filter { $0.subscription == "all" }.map(\.record) == (0..<Self.saves).map { "n\($0)" })
        #expect(delivered.filter { $0.subscription == "once" }.map(\.record) == ["n0"])
        for id in Self.pasts {
            let records = delivered.filter { $0.subscription == id }.compactMap(\.record)
            #expect(records.sorted() == (Self.old + Self.new).sorted(), "\(id)")
        }
        let pastCount = Self.pasts.count * (Self.old.count + Self.new.count)
        #expect(delivered.count == Self.saves + 1 + pastCount)
        let late = try await user.feed(device("laptop").rawValue, atLeast: delivered.count).notes
        #expect(late.map(\.content) == delivered.map(\.content))
    }

    private func register(_ name: String) async throws {
        try await answered { try await user.client.register(device(name), name: name, platform: "") }
    }

    private func unregister(_ name: String) async throws {
        do {
            try await user.client.unregister(device(name))
        } catch let error as FanfareError where error.code == .notFound {
            // The request before had been committed without an answer.
        }
    }

    private func subscribeToPast(_ id: String, above: Int) async throws {
        let filter: JSONValue = [
            "fieldName": "n", "comparator": "GREATER_THAN", "fieldValue": ["value": .integer(Int64(above))],
        ]
        let made = try await user.modifySubscriptions([
            (
                "create",
                [
                    "subscriptionID": .string(id), "subscriptionType": "query",
                    "query": ["recordType": "Past", "filterBy": [filter]], "firesOn": ["create"], "startingFrom": 0,
                    "notificationInfo": ["alertBody": "changed"],
                ]
            )
        ])
        guard made[0]["serverErrorCode"] == nil else { throw StorySystem.Failed("\(made)") }
    }

    /// Creates a record, once: one that is there was created by a request without an answer.
    private func create(_ name: String, type: String = "Note", in database: DatabaseScope = .private) async throws {
        let operation: JSONValue = [
            "operationType": "create",
            "record": ["recordName": .string(name), "recordType": .string(type), "fields": ["n": ["value": 1]]],
        ]
        try await answered {
            let answer = try await user.client.database(database, "records/modify", ["operations": [operation]])
            let code = answer["records"]?[0]?["serverErrorCode"]?.string
            guard code == nil || code == "EXISTS" else { throw StorySystem.Failed("\(answer)") }
        }
    }

    /// Sends a request again until there is an answer.
    private func answered(_ request: @escaping @Sendable () async throws -> Void) async throws {
        try await eventually("an answer") {
            do {
                try await request()
                return true
            } catch is HTTPClientError {
                return false
            } catch let error as FanfareError where error.isTransient {
                return false
            }
        }
    }
}
