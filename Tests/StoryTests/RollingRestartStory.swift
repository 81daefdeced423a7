import CloudModel
import FanfareCloudKit
import JSON
import Synchronization
import TestSupport
import Testing

/// Every process is stopped, in order, and started again, twice, while clients save and read: each ends by itself
/// within 10 s, and a client sees no error that the same request does not resolve a moment later.
@Suite struct RollingRestartStory {
    @Test(
        "a rolling restart of all roles under load costs clients no more than a repeated request",
        arguments: StorySystem.Kind.available)
    func restarting(_ kind: StorySystem.Kind) async throws {
        let system = try await StorySystem.start(kind)
        var processes = system.processes
        if !kind.isEmbedded {
            let second = try await system.startMatcher()
            processes["second-matcher"] = second.process
        }
        let client = Client(try await system.user("alice"))
        let phone = try await client.user.register("phone")
        let tablet = try await client.user.register("tablet")
        try await client.user.subscribe("all", to: "Rolling", on: ["create"])
        try await within("the restarts") { [processes] in
            try await withThrowingTaskGroup(of: Void.self) { group in
                group.addTask { try await client.save() }
                group.addTask { try await client.read(phone) }
                for _ in 0..<2 {
                    for (name, process) in processes.sorted(by: { $0.key < $1.key }) {
                        // Under load: something was saved and read since the last restart.
                        try await client.someWork()
                        let code = try await within("the end of \(name)") { await process.terminate() }
                        #expect(code == 0, "\(name) ended with \(code): \(process.complaints.suffix(2000))")
                        try process.start()
                    }
                }
                try await client.someWork()
                client.finish()
                try await group.waitForAll()
            }
        }
        let saved = client.saved
        let delivered = try await client.user.feed(tablet, atLeast: saved.count).notes.map { $0.record ?? "" }
        #expect(delivered.count == saved.count && Set(delivered) == Set(saved))
        #expect(client.heard == delivered, "the device that read all the time got other notifications")
        #expect(client.repeated > 0 || kind.isEmbedded)
        if !kind.isEmbedded { _ = await processes["second-matcher"]?.terminate() }
        try await system.stop()
    }
}

/// Saves and reads as a client does that repeats what a service asks it to, and knows of nothing else.
private final class Client: Sendable {
    private struct State {
        var saved: [String] = []
        var heard: [String] = []
        var repeated = 0
        var isOver = false
        /// Nothing is being saved any more.
        var isSaved = false
    }

    let user: StoryUser
    private let state = Mutex(State())

    init(_ user: StoryUser) { self.user = user }

    var saved: [String] { state.withLock { $0.saved } }
    var heard: [String] { state.withLock { $0.heard } }
    var repeated: Int { state.withLock { $0.repeated } }

    /// Makes the current work the last.
    func finish() { state.withLock { $0.isOver = true } }

    /// Waits until more was saved and read.
    func someWork() async throws {
        let before = state.withLock { ($0.saved.count, $0.heard.count) }
        try await eventually("work under way") {
            self.state.withLock { $0.saved.count > before.0 + 20 && $0.heard.count > before.1 + 20 }
        }
    }

    /// Saves records, one at a time.
    func save() async throws {
        var number = 0
        while !state.withLock({ $0.isOver }) {
            number += 1
            let name = "r\(number)"
            let operations: JSONValue = [
                "operations": [
                    ["operationType": "create", "record": ["recordName": .string(name), "recordType": "Rolling"]]
                ]
            ]
            let (answer, isRepeated) = try await persistently {
                try await self.user.client.database(.public, "records/modify", operations)
            }
            let code = answer["records"]?[0]?["serverErrorCode"]?.string
            // The answer to an earlier try was lost, and it had been saved.
            guard code == nil || isRepeated && (code == "CONFLICT" || code == "EXISTS") else {
                throw StorySystem.Failed("saving \(name): \(answer)")
            }
            state.withLock { $0.saved.append(name) }
        }
        state.withLock { $0.isSaved = true }
    }

    /// Reads a device's feed by its tokens, until all that was saved was read.
    func read(_ device: String) async throws {
        var token: String?
        while state.withLock({ !$0.isSaved || $0.heard.count < $0.saved.count }) {
            let last = token
            let (page, _) = try await persistently {
                try await self.user.client.notifications(
                    of: DeviceID(trusted: device), after: last, limit: 200, waitSeconds: 1)
            }
            token = page.token
            let names = page.json.map { StoryUser.Note($0).record ?? "" }
            state.withLock { $0.heard += names }
        }
    }

    /// Sends a request until it is answered. What the service refuses for good is no restart's doing and fails the
    /// test.
    private func persistently<Answer: Sendable>(
        _ request: @escaping @Sendable () async throws -> Answer
    ) async throws -> (Answer, isRepeated: Bool) {
        let tries = Mutex(0)
        let found = try await answer("an answer") {
            do {
                return try await request()
            } catch let error as FanfareError where !error.isTransient || error.code == .internalError {
                throw error
            } catch is CancellationError {
                throw CancellationError()
            } catch {
                tries.withLock { $0 += 1 }
                return nil
            }
        }
        let isRepeated = tries.withLock { $0 } > 0
        if isRepeated { state.withLock { $0.repeated += 1 } }
        return (found, isRepeated)
    }
}
