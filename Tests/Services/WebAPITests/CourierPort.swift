import CloudMessages
import CloudModel
import HTTPServer
import Identity
import JSON
import RecordService
import Synchronization
import TestSupport
import Testing

@testable import WebAPI

/// The address of one web courier, whose requests a test drives as the server does, on a clock of its own.
struct CourierPort: Sendable {
    private struct NotHeld: Error {}

    /// The time after which a poll is answered with nothing.
    static let wait = Duration.seconds(30)

    let bench: WebBench
    let time: ManualTime
    /// The user whose courier it is.
    let user: UserRecordName
    private let alice: WebBench.SignedIn
    private let bob: WebBench.SignedIn
    private let target: String
    private let device: JSONValue
    private let router: Router
    private let rates: RateGuard

    private init(_ bench: WebBench, _ time: ManualTime) async throws {
        self.bench = bench
        self.time = time
        alice = try await bench.signIn("alice")
        bob = try await bench.signIn("bob")
        user = UserRecordName(trusted: alice.name)
        try await bench.register("phone", alice)
        try await bench.subscribe(alice)
        let body: JSONValue = ["apnsEnvironment": "development"]
        let made = try await bench.send("POST", bench.device("tokens/create"), body, user: alice)
        let token = try #require(made.json["apnsToken"]?.string)
        target = "\(CourierPoll.path)?tok=\(token)&ttl=\(Limits.courierSeconds)"
        let listed = try await bench.send("GET", bench.device("devices/list"), user: alice).json["devices"]?.array
        let own = try #require(listed?.first { $0["platform"] == "webcourier" })
        device = try #require(own["deviceID"])
        var limits = RateLimits()
        limits.heldOfUser = 10
        rates = RateGuard(limits)
        let scopes = ScopeTable([
            APIScope(
                records: bench.system.service, identity: bench.system.identity, feeds: bench.feeds,
                courierTokens: bench.courierTokens,
                webAuthTokens: WebAuthTokens(bench.keys, lifetime: .seconds(3600)),
                queryMarkers: QueryMarkers(bench.keys), courierWait: Self.wait)
        ])
        router = Router(
            [CourierMount(scopes: scopes, rates: rates, works: Works())], scopes: scopes, rates: rates)
    }

    /// Runs a test on a service of its own, with its clock bound.
    static func run(_ body: @escaping @Sendable (CourierPort) async throws -> Void) async throws {
        // No poll reads again by itself: one that wakes was rung for, or its time is over.
        try await WebBench.run(isRechecking: false) { bench in
            let time = ManualTime()
            try await time.bound { try await body(try await CourierPort(bench, time)) }
            // The task of the alarm clock ends when nothing waits.
            time.advance(by: Self.wait * 2)
        }
    }

    /// How many of its polls are held.
    var held: Int { rates.heldCount(.user(bench.system.layout.scope, user)) }

    /// A new request for a payload.
    func poll() throws -> DrivenPoll {
        let head = try #require(HTTPRequestHead(method: "GET", target: target))
        guard case .held(let work) = router.answer(HTTPRequest(head: head)) else { throw NotHeld() }
        return DrivenPoll(work)
    }

    /// Saves a record that the user is notified of.
    func save(_ name: String) async throws { try await bench.save(name, user: bob) }

    /// Waits until the user's feeds have the notification of a record.
    func arrival(of name: String) async throws {
        try await eventually("\(name) in the feed") {
            let page = try await bench.changes("phone", alice).json
            return page["notifications"]?.array?.contains { $0["recordName"]?.string == name } == true
        }
    }

    /// Removes the courier, as a device.
    func remove() async throws {
        let answer = try await bench.send(
            "POST", bench.device("devices/unregister"), ["deviceID": device], user: alice)
        #expect(answer.status == 200)
    }

    /// Moves the clock until a poll has its answer.
    func end(of poll: DrivenPoll) async throws -> HTTPResponse {
        try await answer("the end of the poll's time") {
            if poll.isWoken, let response = await poll.goOn() { return response }
            time.advance(by: .seconds(1))
            return nil
        }
    }
}

/// A request that is held, driven as the server drives it: its work begins, rests, and goes on when it is woken.
final class DrivenPoll: Sendable {
    private struct State {
        var resting: (any HTTPResting)?
        var isWoken = false
    }

    private let work: @Sendable ((any HTTPResting)?) async -> HTTPResponse
    private let state = Mutex(State())

    init(_ work: @escaping @Sendable ((any HTTPResting)?) async -> HTTPResponse) { self.work = work }

    /// True once it rests and was woken.
    var isWoken: Bool { state.withLock { $0.resting != nil && $0.isWoken } }

    /// Waits until it is woken.
    func woken() async throws { try await eventually("a wakeup") { self.isWoken } }

    /// Works until there is an answer; nil where it rests.
    func goOn() async -> HTTPResponse? {
        let rested = state.withLock { $0.resting.take() }
        let response = await work(rested)
        guard case .resting(let resting) = response.body else {
            rested?.leave()
            return response
        }
        state.withLock { $0 = State(resting: resting) }
        resting.rest { self.state.withLock { $0.isWoken = true } }
        return nil
    }

    /// Works, and rests, until there is an answer.
    func answer() async throws -> HTTPResponse {
        while true {
            if state.withLock({ $0.resting != nil }) { try await woken() }
            if let response = await goOn() { return response }
        }
    }

    /// Goes on once it is woken, in a task that is cancelled, as when the client leaves meanwhile.
    func goOnCancelled() async throws -> HTTPResponse? {
        try await woken()
        let work = Task {
            while !Task.isCancelled { await Task.yield() }
            return await self.goOn()
        }
        work.cancel()
        return await work.value
    }

    /// Ends it while it rests.
    func leave() { state.withLock { $0.resting.take() }?.leave() }
}
