import CloudModel
import FanfareCloudKit
import Foundation
import JSON
import Synchronization
import TestSupport
import Testing

/// The service dies by SIGKILL, several times, in the middle of saves of several clients: no acknowledged record is
/// lost, none is half saved, and lookup, query and change feed agree.
@Suite struct SaveCrashStory {
    private static let kills = 5

    @Test("kill -9 in the middle of saves, single ones and atomic batches", arguments: StorySystem.Kind.available)
    func killing(_ kind: StorySystem.Kind) async throws {
        let system = try await StorySystem.start(kind)
        let victim = try #require(system.processes[kind.isEmbedded ? "dev" : "record-service"])
        let alice = try await system.user("alice")
        let bob = try await system.user("bob")
        for user in [alice, bob] {
            let made = try await user.client.database(
                .private, "zones/modify",
                ["operations": [["operationType": "create", "zone": ["zoneID": ["zoneName": "Crash"]]]]])
            try #require(made["zones"]?[0]?["serverErrorCode"] == nil)
        }
        let savers = [
            Saver(alice, "alice-batches", .private, records: 9, rounds: 60),
            Saver(alice, "alice-singles", .private, records: 1, rounds: 120),
            Saver(bob, "bob-batches", .private, records: 40, rounds: 30),
            Saver(bob, "bob-single", .public, records: 1, rounds: 120),
            Saver(bob, "bob-many", .public, records: 12, rounds: 40),
        ]
        let total = savers.reduce(0) { $0 + $1.rounds }
        let killer = Task {
            for kill in 1...Self.kills {
                let threshold = total * kill / (Self.kills + 1)
                try await eventually("\(threshold) rounds") {
                    savers.reduce(0) { $0 + $1.done } >= threshold
                }
                await victim.kill()
                try victim.start()
            }
        }
        try await within("the saves") {
            try await withThrowingTaskGroup(of: Void.self) { group in
                for saver in savers { group.addTask { try await saver.run() } }
                try await group.waitForAll()
            }
        }
        try await within("the kills") { try await killer.value }
        for saver in savers { try await saver.check() }
        // The feed of a zone has its savers' records and nothing else.
        for user in [alice, bob] {
            let fed = try await Views(user, .private).feed(of: "Crash")
            let saved = savers.filter { $0.user.record == user.record && $0.database == .private }
            #expect(fed == saved.map(\.expected).reduce(into: [:]) { $0.merge($1) { $1 } })
        }
        try await system.stop()
    }
}

/// One client. Each of its rounds creates a batch of records, then updates all of them, then deletes all of every third
/// batch, each by one request: after a request without an answer, the batch stands as a whole before it or after it.
private final class Saver: Sendable {
    let user: StoryUser
    let name: String
    let database: DatabaseScope
    let records: Int
    let rounds: Int
    private struct State {
        var done = 0
        var expected: [String: Int64] = [:]
        var deleted: [String] = []
    }
    private let state = Mutex(State())

    init(_ user: StoryUser, _ name: String, _ database: DatabaseScope, records: Int, rounds: Int) {
        self.user = user
        self.name = name
        self.database = database
        self.records = records
        self.rounds = rounds
    }

    /// Rounds that are over.
    var done: Int { state.withLock { $0.done } }
    /// The generation of every record that is there.
    var expected: [String: Int64] { state.withLock { $0.expected } }

    func run() async throws {
        for round in 0..<rounds {
            let names = (0..<records).map { "\(name)-\(round)-\($0)" }
            try await settle(names, before: nil, after: 1)
            try await settle(names, before: 1, after: 2)
            let isDeleted = round.isMultiple(of: 3)
            if isDeleted { try await settle(names, before: 2, after: nil) }
            state.withLock { state in
                state.done += 1
                if isDeleted { state.deleted += names } else { for name in names { state.expected[name] = 2 } }
            }
        }
    }

    /// Sends a request until it is known to be committed.
    private func settle(_ names: [String], before: Int64?, after: Int64?) async throws {
        let views = Views(user, database)
        while true {
            do {
                let answer = try await user.client.database(database, "records/modify", request(names, before, after))
                for item in answer["records"]?.array ?? [] {
                    if let code = item["serverErrorCode"]?.string {
                        throw StorySystem.Failed("\(name): \(code): \(item["reason"]?.string ?? "")")
                    }
                }
                return
            } catch let error as FanfareError where error.code != nil && error.code != .tryAgainLater {
                throw error
            } catch let error as StorySystem.Failed {
                throw error
            } catch {
                // The answer was lost: it was all or nothing.
                let found = try await views.lookUp(names)
                let generations = Set(names.map { found[$0] })
                #expect(generations.count == 1, "half saved: \(found)")
                if generations == [after] { return }
                #expect(generations == [before], "an acknowledged save is lost: \(names[0])")
            }
        }
    }

    private func request(_ names: [String], _ before: Int64?, _ after: Int64?) -> JSONValue {
        let operations = names.map { name -> JSONValue in
            guard let after else {
                return ["operationType": "forceDelete", "record": ["recordName": .string(name)]]
            }
            return [
                "operationType": before == nil ? "create" : "forceUpdate",
                "record": [
                    "recordName": .string(name), "recordType": "Crash",
                    "fields": ["generation": ["value": .integer(after)], "saver": ["value": .string(self.name)]],
                ],
            ]
        }
        guard database == .private else { return ["operations": .array(operations)] }
        return ["operations": .array(operations), "zoneID": ["zoneName": "Crash"], "atomic": true]
    }

    /// Lookup and query find the acknowledged records.
    func check() async throws {
        let (expected, deleted) = state.withLock { ($0.expected, $0.deleted) }
        let views = Views(user, database)
        #expect(try await views.lookUp(Array(expected.keys) + deleted) == expected)
        #expect(try await views.query(saver: name, generation: 2) == expected)
        #expect(try await views.query(saver: name, generation: 1).isEmpty, "the index has deleted records")
    }
}

/// The ways to see the records of a database.
private struct Views: Sendable {
    let user: StoryUser
    let database: DatabaseScope

    init(_ user: StoryUser, _ database: DatabaseScope) {
        self.user = user
        self.database = database
    }

    private var zone: JSONObject { database == .private ? ["zoneID": ["zoneName": "Crash"]] : [:] }

    /// The generations of those that are there, once the service answers.
    func lookUp(_ names: [String]) async throws -> [String: Int64] {
        var found: [String: Int64] = [:]
        for start in stride(from: 0, to: names.count, by: Limits.operationsMax) {
            var body = zone
            body["records"] = .array(
                names[start..<min(start + Limits.operationsMax, names.count)].map { ["recordName": .string($0)] })
            found.merge(Self.generations(try await ask("records/lookup", body))) { $1 }
        }
        return found
    }

    func query(saver: String, generation: Int64) async throws -> [String: Int64] {
        var found: [String: Int64] = [:]
        var body = zone
        body["query"] = [
            "recordType": "Crash",
            "filterBy": [
                ["fieldName": "saver", "comparator": "EQUALS", "fieldValue": ["value": .string(saver)]],
                ["fieldName": "generation", "comparator": "EQUALS", "fieldValue": ["value": .integer(generation)]],
            ],
        ]
        while true {
            let page = try await ask("records/query", body)
            for (name, generation) in Self.generations(page) {
                #expect(found.updateValue(generation, forKey: name) == nil, "\(name) is found twice")
            }
            guard let marker = page["continuationMarker"]?.string else { return found }
            body["continuationMarker"] = .string(marker)
        }
    }

    /// Everything that a device knows that follows the zone from the start.
    func feed(of zone: String) async throws -> [String: Int64] {
        var found: [String: Int64] = [:]
        var given: JSONObject = ["zoneID": ["zoneName": .string(zone)]]
        while true {
            let page = try await ask("changes/zone", ["zones": [.object(given)]])
            let feed = try #require(page["zones"]?[0], "\(page)")
            for record in feed["records"]?.array ?? [] {
                let name = try #require(record["recordName"]?.string)
                found[name] = record["fields"]?["generation"]?["value"]?.integer
            }
            given["syncToken"] = feed["syncToken"]
            guard feed["moreComing"]?.bool == true else { return found }
        }
    }

    private func ask(_ endpoint: String, _ body: JSONObject) async throws -> JSONValue {
        let (client, database) = (user.client, database)
        return try await answer("\(endpoint) after the restart") {
            do {
                return try await client.database(database, endpoint, .object(body))
            } catch let error as FanfareError where error.code != nil && error.code != .tryAgainLater {
                throw error
            } catch {
                return nil
            }
        }
    }

    private static func generations(_ answer: JSONValue) -> [String: Int64] {
        var found: [String: Int64] = [:]
        for record in answer["records"]?.array ?? [] {
            guard let name = record["recordName"]?.string, record["serverErrorCode"] == nil else { continue }
            found[name] = record["fields"]?["generation"]?["value"]?.integer
        }
        return found
    }
}
