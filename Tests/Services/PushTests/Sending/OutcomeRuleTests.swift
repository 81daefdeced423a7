import CloudModel
import EventLog
import Testing

@testable import Push

/// The consequences of each outcome.
@Suite struct OutcomeRuleTests {
    private let failure = PushFailure(status: 400, reason: "why")

    private func push(tries: Int = 0, isWithoutContents: Bool = false) -> WaitingPush {
        WaitingPush(
            name: SourcePosition(source: SenderWorld.source, offset: 1), isVisible: true,
            time: Timestamp(milliseconds: 0), tries: tries, isWithoutContents: isWithoutContents)
    }

    private func judge(
        _ outcome: PushOutcome, _ push: WaitingPush? = nil, registered: Int64 = 500,
        doubt: AddressDoubt = AddressDoubt(), atOnce: Int = 0, jitter: Double = 1
    ) -> (verdict: OutcomeRule.Verdict, effect: OutcomeRule.Effect) {
        OutcomeRule.judge(
            outcome, of: push ?? self.push(), registered: Timestamp(milliseconds: registered), doubt: doubt,
            atOnce: atOnce, jitter: jitter)
    }

    @Test("a push that the provider took or refused for good is done with")
    func ends() {
        #expect(judge(.taken) == (.sent, .answered))
        #expect(judge(.dropped(failure)) == (.dropped(failure), .answered))
        #expect(judge(.tooLarge(failure)) == (.withoutContents(failure), .answered))
        #expect(judge(.tooLarge(failure), push(isWithoutContents: true)) == (.dropped(failure), .answered))
        #expect(judge(.misconfigured(failure)) == (.stopped(failure), .refused))
    }

    @Test("an address is removed by a provider's word, if it was registered before the time that it names")
    func gone() {
        for (since, isRemoved) in [(nil, true), (501, true), (500, false), (499, false)] as [(Int64?, Bool)] {
            let outcome = PushOutcome.gone(failure, since: since.map { Timestamp(milliseconds: $0) })
            #expect(judge(outcome).verdict == (isRemoved ? .removed(failure) : .dropped(failure)), "\(since ?? -1)")
        }
    }

    @Test("a failure of the line is tried again at once, then after 1 s that doubles up to 15 min, with full jitter")
    func lines() {
        let outcome = PushOutcome.failed(failure, .line(after: nil))
        let pauses = (0...14).map { judge(outcome, push(tries: $0)).verdict }
        let seconds = [0, 1, 2, 4, 8, 16, 32, 64, 128, 256, 512, 900, 900, 900, 900]
        #expect(pauses == seconds.enumerated().map { .again(after: .seconds($1), tries: $0 + 1, failure) })
        #expect(judge(outcome, push(tries: 3), jitter: 0.25).verdict == .again(after: .seconds(1), tries: 4, failure))
        #expect(judge(outcome).effect == .failed(wish: nil))
        let open = OutcomeRule.judge(
            outcome, of: push(tries: 9), registered: Timestamp(milliseconds: 0), doubt: AddressDoubt(), atOnce: 0,
            isLineOpen: true, jitter: 1)
        #expect(open.verdict == .again(after: .zero, tries: 10, failure), "it waits for the circuit")
        let wished = judge(.failed(failure, .line(after: .seconds(7))), push(tries: 5), jitter: 0)
        #expect(wished == (.again(after: .seconds(7), tries: 6, failure), .failed(wish: .seconds(7))))
    }

    @Test("a failure of the address concerns the line not at all")
    func addresses() {
        let outcome = PushOutcome.failed(failure, .address(after: nil))
        #expect(judge(outcome) == (.again(after: .seconds(1), tries: 1, failure), .answered))
        #expect(judge(outcome, push(tries: 40)).verdict == .again(after: .seconds(900), tries: 41, failure))
        let wish = PushOutcome.failed(failure, .address(after: .seconds(3)))
        #expect(judge(wish, jitter: 0).verdict == .again(after: .seconds(3), tries: 1, failure))
        // No provider's wish holds a push for more than a day.
        let long = PushOutcome.failed(failure, .address(after: .seconds(Int64.max / 2)))
        #expect(judge(long).verdict == .again(after: .seconds(86_400), tries: 1, failure))
    }

    @Test(
        "a push that was certainly not processed is sent at once, three times, and then as after a failure of the line")
    func atOnce() {
        let outcome = PushOutcome.failed(failure, .atOnce)
        #expect((0..<3).allSatisfy { judge(outcome, atOnce: $0) == (.atOnce(failure), .none) })
        #expect(judge(outcome, atOnce: 3) == (.again(after: .seconds(1), tries: 1, failure), .failed(wish: nil)))
    }

    private func device(_ number: Int) -> DeviceID { DeviceID(trusted: "d\(number)") }
    private func user(_ number: Int) -> UserRecordName { UserRecordName(trusted: "u\(number)") }

    @Test("while more than half of the last 20 devices are refused, none is removed; then one of a hundred is")
    func doubt() {
        var doubt = AddressDoubt()
        func verdict() -> OutcomeRule.Verdict { judge(.doubtful(failure), doubt: doubt).verdict }
        // A few refused devices show nothing: dropped, and nothing is stopped.
        doubt.note(device(0), of: user(0), isRefused: true)
        #expect(verdict() == .dropped(failure))
        for number in 0..<300 {
            doubt.note(device(number % 100), of: user(number % 50), isRefused: true)
            if number > 1 { #expect(verdict() == .stopped(failure)) }
        }
        for number in 0..<10 {
            #expect(verdict() == .stopped(failure))
            doubt.note(device(number), of: user(number), isRefused: false)
        }
        // Ten of twenty are not more than half.
        doubt.note(device(99), of: user(99), isRefused: true)
        doubt.note(device(10), of: user(10), isRefused: false)
        doubt.note(device(99), of: user(99), isRefused: true)
        #expect(verdict() == .removed(failure))
        for number in 0..<99 { doubt.note(device(number), of: user(number), isRefused: false) }
        doubt.note(device(99), of: user(99), isRefused: true)
        #expect(verdict() == .removed(failure))
        // One device that is refused again and again counts once.
        for _ in 0..<100 { doubt.note(device(99), of: user(99), isRefused: true) }
        #expect(verdict() == .removed(failure))
    }

    @Test("the refused devices of one user, however many, never stop a credential")
    func spite() {
        for answered in [0, 1, 3] {
            var doubt = AddressDoubt()
            for number in 0..<answered { doubt.note(device(1000 + number), of: user(1 + number), isRefused: false) }
            for number in 0..<100 {
                doubt.note(device(number % 20), of: user(0), isRefused: true)
                #expect(!doubt.stops)
            }
            // Others are judged by their own answers.
            for number in 0..<3 { doubt.note(device(2000 + number), of: user(10 + number), isRefused: false) }
            doubt.note(device(3000), of: user(20), isRefused: true)
            #expect(doubt.condemns)
        }
        // Two users are everybody, if nobody else has an answer.
        var doubt = AddressDoubt()
        for number in 0..<4 { doubt.note(device(number), of: user(number % 2), isRefused: true) }
        #expect(doubt.stops)
    }

    @Test("an endpoint of Web Push is dead after ten refusals in a row")
    func rows() {
        var doubt = AddressDoubt(.webPush)
        for number in 0..<20 { doubt.note(device(number), of: user(number), isRefused: false) }
        for round in 0..<3 {
            for count in 1...(round == 2 ? 10 : 9) {
                #expect(!doubt.condemns)
                doubt.note(device(50), of: user(50), isRefused: true)
                #expect(doubt.condemns == (count == 10))
            }
            if round < 2 { doubt.note(device(50), of: user(50), isRefused: false) }
        }
        // Another device's are counted by themselves.
        doubt.note(device(51), of: user(51), isRefused: true)
        #expect(!doubt.condemns)
    }

    @Test("a world that refuses all addresses for ten minutes removes none and loses no push")
    func tenMinutes() throws {
        func owner(_ destination: PushDestination) -> String { "user of \(destination.device)" }
        var world = try SenderWorld()
        let end = world.now + 600_000
        world.provider = { push, now in
            if now < end { return (.doubtful(PushFailure(status: 400, reason: "BadDeviceToken")), 5) }
            return push.destination.device.rawValue == "d7"
                ? (.doubtful(PushFailure(status: 400, reason: "BadDeviceToken")), 5) : (.taken, 5)
        }
        for number in 1...100 { world.arrive(Int64(number), for: SenderWorld.device("d\(number)")) }
        world.pass(.seconds(600), user: owner)
        #expect(world.removed.isEmpty)
        // The first two say nothing about the credential, and are dropped.
        #expect(world.settled.count <= 2)
        world.pass(.seconds(300), user: owner)
        #expect(world.sent.filter(\.isAccepted).count >= 97)
        world.arrive(101, for: SenderWorld.device("d7"))
        world.pass(.seconds(120), user: owner)
        #expect(Set(world.removed) == [SenderWorld.device("d7")])
    }
}
