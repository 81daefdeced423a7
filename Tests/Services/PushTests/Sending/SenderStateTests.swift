import CloudMessages
import CloudModel
import EventLog
import ProtocolBuffers
import Testing

@testable import Push

/// The state of a sender: merging, order, rates, and commits.
@Suite struct SenderStateTests {
    private let phone = SenderWorld.device("phone")

    /// A world whose provider does not answer yet: the first push is in flight.
    private func busy(isVisible: Bool = true) throws -> SenderWorld {
        var world = try SenderWorld()
        world.provider = { push, now in (.taken, push.number == 1 ? 1000 : 5) }
        world.arrive(1, for: phone, isVisible: isVisible)
        world.run()
        return world
    }

    @Test(
        "of several waiting pushes, the newest visible push is sent, with the number it stands for and the newest badge"
    )
    func newestVisible() throws {
        var world = try busy()
        world.arrive(2, for: phone, badge: 4)
        world.arrive(3, for: phone, badge: 5)
        world.arrive(4, for: phone)
        world.arrive(5, for: phone, isVisible: false)
        world.pass(.seconds(2))
        #expect(world.sent.map(\.number) == [1, 4] && world.sent[1].merged == 4 && world.sent[1].badge == 5)
        #expect(!world.sent[1].isSilent && world.state.collapsedCount == 3)
    }

    @Test("of silent pushes alone, the newest is sent")
    func silent() throws {
        var world = try busy(isVisible: false)
        for number in 2...5 { world.arrive(Int64(number), for: phone, isVisible: false) }
        world.pass(.seconds(2))
        #expect(world.sent.map(\.number) == [1, 5] && world.sent[1].merged == 4 && world.sent[1].isSilent)
    }

    @Test("a device that wants it gets a silent push in place of several, and a single one as it is")
    func whenBehind() throws {
        var world = try busy()
        world.terms.isSilentWhenBehind = true
        world.arrive(2, for: phone)
        world.arrive(3, for: phone)
        world.pass(.seconds(2))
        world.arrive(4, for: phone)
        world.pass(.seconds(2))
        #expect(world.sent.map(\.number) == [1, 3, 4] && world.sent.map(\.isSilent) == [false, true, false])
    }

    @Test("three silent pushes are sent at once, then one every 20 minutes, the last one always")
    func rate() throws {
        var world = try SenderWorld()
        world.terms.isThrottled = true
        world.terms.lifetime = { _ in .seconds(86_400) }
        var number: Int64 = 0
        let start = world.now
        world.pass(
            .seconds(3600), step: 10_000,
            each: { world in
                number += 1
                world.arrive(number, for: SenderWorld.device("phone"), isVisible: false)
            })
        let last = number
        world.pass(.seconds(3600), step: 10_000)
        let minutes = world.sent.map { ($0.at - start) / 60_000 }
        #expect(minutes == [0, 0, 0, 20, 40, 60] && world.sent.last?.number == last)
        #expect(world.sent.reduce(0) { $0 + $1.merged } == Int(last))
        // Its place is given up once nothing counts any more.
        world.pass(.seconds(7200), step: 10_000)
        #expect(world.state.placeCount == 0)
    }

    @Test("the rate of silent pushes holds no visible one, and outlives a crash")
    func rateAndVisible() throws {
        var world = try SenderWorld()
        world.terms.isThrottled = true
        for number in 1...4 {
            world.arrive(Int64(number), for: phone, isVisible: false)
            world.pass(.seconds(1))
        }
        #expect(world.sent.map(\.number) == [1, 2, 3])
        _ = try world.crash()
        world.pass(.seconds(60))
        #expect(world.sent.map(\.number) == [1, 2, 3])
        world.arrive(5, for: phone)
        world.run()
        #expect(world.sent.map(\.number) == [1, 2, 3, 5] && world.sent[3].merged == 2)
    }

    @Test("without the rate, as in development, each silent push is sent")
    func noRate() throws {
        var world = try SenderWorld()
        for number in 1...20 {
            world.arrive(Int64(number), for: phone, isVisible: false)
            world.pass(.milliseconds(200))
        }
        #expect(world.sent.count == 20)
    }

    @Test("a push whose time is over is dropped")
    func expiry() throws {
        var world = try SenderWorld()
        world.provider = { _, now in
            now < 5_000_000 ? (.failed(PushFailure(reason: "down"), .address(after: nil)), 5) : (.taken, 5)
        }
        world.arrive(1, for: phone, isVisible: false)
        world.arrive(2, for: SenderWorld.device("tablet"))
        world.pass(.seconds(6000), step: 1000)
        #expect(world.settled.map(\.verdict).sorted() == ["expired", "sent"])
    }

    @Test("a push in flight and a waiting one are committed as one, and sent after a crash under the same name")
    func crashInFlight() throws {
        var world = try busy()
        world.arrive(2, for: phone, isVisible: false, badge: 7)
        world.commit()
        #expect(try world.crash() == 2)
        world.pass(.seconds(2))
        #expect(world.sent.map(\.number) == [1, 1] && world.sent[1].merged == 2 && world.sent[1].badge == 7)
        #expect(try world.crash() == 2)
        world.pass(.seconds(2))
        #expect(world.sent.count == 2)
    }

    @Test("a stored row is read back, and a device without an address leaves none")
    func rows() throws {
        var world = try busy()
        world.arrive(2, for: phone, badge: 9)
        world.pass(.milliseconds(100))
        let row = try PushStateMessage(decoding: try #require(world.stored[phone.key]))
        #expect(row.waiting?.source?.offset == 2 && row.waiting?.merged == 2 && row.waiting?.badge == 9)
        #expect(row.user == "u" && world.stored[phone.contentKey] != nil)
        world.pass(.seconds(2))
        let settled = try PushStateMessage(decoding: try #require(world.stored[phone.key]))
        #expect(settled.settled?.offset == 2 && settled.waiting == nil && world.stored[phone.contentKey] == nil)
        world.arrive(3, for: phone)
        world.state.drop(phone, "noAddress", isForgotten: true, at: world.time)
        world.commit()
        #expect(world.stored.keys.map { $0 } == [PartitionState.key] && world.state.placeCount == 0)
    }

    @Test("keys are read back, and others are none")
    func keys() {
        let found = PushDestination.reading(phone.key)
        #expect(found?.destination == phone && found?.isContent == false)
        #expect(PushDestination.reading(phone.contentKey)?.isContent == true)
        for text in ["#positions", "a\u{0}b\u{0}apns", "a\u{0}1", "a\u{0}1\u{0}apns\u{0}other", ""] {
            #expect(PushDestination.reading(Array(text.utf8)) == nil, "\(text)")
        }
    }

    @Test("contents beyond the limit are given up once they are committed, and read again to be sent")
    func contents() throws {
        var world = try SenderWorld(contentBytesMax: 10_000)
        world.provider = { _, now in
            now < 1_100_000 ? (.failed(PushFailure(reason: "down"), .address(after: .seconds(200))), 5) : (.taken, 5)
        }
        for number in 1...100 {
            world.arrive(Int64(number), for: SenderWorld.device("d\(number)"), bytes: 1000)
            world.pass(.milliseconds(100))
            #expect(world.state.contentBytes < 14_000)
        }
        world.pass(.seconds(300))
        #expect(Set(world.sent.filter(\.isAccepted).map(\.number)) == Set(1...100))
        #expect(world.state.contentBytes == 0 && world.state.placeCount == 0)
    }
}
