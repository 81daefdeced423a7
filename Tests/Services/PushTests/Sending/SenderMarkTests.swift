import CloudModel
import EventLog
import Testing

@testable import Push

/// Badges that are set and notifications that are read, beside pushes of notifications.
@Suite struct SenderMarkTests {
    private let phone = SenderWorld.device("phone")

    /// A world whose provider does not answer yet: the first push is in flight.
    private func busy() throws -> SenderWorld {
        var world = try SenderWorld()
        world.provider = { push, now in (.taken, push.number == 1 ? 1000 : 5) }
        world.arrive(1, for: phone)
        world.run()
        return world
    }

    private func badge(_ number: Int64, _ value: Int64, _ world: inout SenderWorld) {
        world.arrive(number, for: phone, isVisible: true, badge: value, isMark: true)
    }

    private func read(_ number: Int64, _ changes: [Int64], _ world: inout SenderWorld) {
        world.arrive(number, for: phone, isVisible: false, isMark: true, read: changes)
    }

    @Test("a badge that is set is sent by itself; one that meets a waiting notification goes with it")
    func badges() throws {
        var world = try SenderWorld()
        badge(1, 4, &world)
        world.pass(.seconds(1))
        #expect(world.sent.map(\.badge) == [4] && !world.sent[0].isSilent && world.sent[0].merged == 1)
        world = try busy()
        world.arrive(2, for: phone, badge: 5)
        badge(3, 6, &world)
        badge(4, 0, &world)
        world.pass(.seconds(2))
        #expect(world.sent.map(\.number) == [1, 2] && world.sent[1].badge == 0 && world.sent[1].merged == 1)
    }

    @Test("a silent notification that meets a badge shows it, and wakes the app as before")
    func badgeAndSilent() throws {
        for isBadgeFirst in [true, false] {
            var world = try busy()
            if isBadgeFirst { badge(2, 6, &world) }
            world.arrive(3, for: phone, isVisible: false)
            if !isBadgeFirst { badge(4, 6, &world) }
            world.pass(.seconds(2))
            #expect(world.sent.map(\.number) == [1, 3] && world.sent[1].badge == 6 && !world.sent[1].isSilent)
        }
    }

    @Test("read notifications never take the place of others, and go with the push that waits, the newest few")
    func reads() throws {
        let others: [(isVisible: Bool, isMark: Bool)] = [(true, false), (false, false), (true, true)]
        for (isVisible, isMark) in others {
            for isReadFirst in [true, false] {
                var world = try busy()
                if isReadFirst { read(2, [8, 9], &world) }
                world.arrive(3, for: phone, isVisible: isVisible, badge: isMark ? 2 : nil, isMark: isMark)
                if !isReadFirst { read(4, [8, 9], &world) }
                world.pass(.seconds(2))
                #expect(world.sent.count == 2 && world.sent[1].read == [8, 9])
                #expect(world.sent[1].isSilent == !isVisible && world.sent[1].badge == (isMark ? 2 : nil))
                #expect(isMark || world.sent[1].number == 3)
            }
        }
        var world = try busy()
        for number in 1...30 { read(Int64(number + 1), [Int64(number)], &world) }
        world.pass(.seconds(2))
        #expect(world.sent.map(\.number) == [1, 31] && world.sent[1].read == Array(11...30))
    }

    @Test("read notifications that wait for a minute are dropped, and those that would use up the silent pushes")
    func expiry() throws {
        var world = try SenderWorld()
        world.provider = { _, now in
            now < 1_120_000 ? (.failed(PushFailure(reason: "down"), .address(after: nil)), 5) : (.taken, 5)
        }
        read(1, [9], &world)
        world.pass(.seconds(200), step: 1000)
        #expect(world.settled.map(\.verdict) == ["expired"] && !world.sent.contains(where: \.isAccepted))
        world = try SenderWorld()
        world.terms.isThrottled = true
        for number in 1...10 {
            read(Int64(number), [Int64(number)], &world)
            world.pass(.seconds(1))
        }
        #expect(world.sent.map(\.read) == [[1], [2]])
        world.arrive(11, for: phone, isVisible: false)
        world.pass(.seconds(1))
        #expect(world.sent.map(\.number) == [1, 2, 11], "one is left for a notification")
    }

    @Test("a waiting push outlives a crash with its badge and its IDs")
    func crash() throws {
        var world = try busy()
        read(2, [7], &world)
        badge(3, 6, &world)
        read(4, [8], &world)
        world.commit()
        _ = try world.crash()
        world.pass(.seconds(2))
        // The push in flight stands for itself and for the marks.
        #expect(world.sent.map(\.number) == [1, 1] && world.sent[1].badge == 6 && world.sent[1].read == [7, 8])
        world.provider = { _, _ in (nil, 0) }
        world.arrive(5, for: phone)
        world.run()
        world.pass(.seconds(1))
        world.commit()
        badge(6, 2, &world)
        read(7, [9], &world)
        world.commit()
        _ = try world.crash()
        world.provider = { _, _ in (.taken, 5) }
        world.pass(.seconds(2))
        #expect(world.sent.last?.number == 5 && world.sent.last?.badge == 2 && world.sent.last?.read == [9])
    }

    @Test("a push that was found in a feed before is dropped when its entry comes")
    func foundBefore() throws {
        var world = try SenderWorld()
        let name = SourcePosition(source: SenderWorld.source, offset: 7)
        world.state.take(
            WaitingPush(name: name, isVisible: true, time: world.time, content: [1]), for: phone,
            of: UserRecordName(trusted: "u"), at: world.time)
        world.arrive(6, for: phone)
        world.arrive(7, for: phone)
        world.pass(.seconds(1))
        world.arrive(8, for: phone)
        world.pass(.seconds(1))
        #expect(world.sent.map(\.number) == [7, 8] && world.sent.allSatisfy { $0.merged == 1 })
    }

    @Test("a row of marks alone is stored as such")
    func rows() throws {
        var world = try busy()
        world.pass(.seconds(2))
        badge(2, 6, &world)
        read(3, [8], &world)
        world.commit()
        let row = try PushPlace(decoding: #require(world.stored[phone.key]))
        #expect(row.waiting?.isMark == true && row.waiting?.read == [8] && row.waiting?.badge == 6)
        #expect(row.waiting?.isShown == true && row.waiting?.name.offset == 3)
    }

    // MARK: Marks that are not sent

    @Test("marks that a browser is not sent go with its next push that shows something, once, also after a crash")
    func laterPushes() throws {
        for crashes in [false, true] {
            var world = try SenderWorld()
            world.takesNoSilent = { _ in true }
            read(1, [8, 9], &world)
            world.pass(.seconds(1))
            badge(2, 4, &world)
            world.arrive(3, for: phone, isVisible: false)
            world.pass(.seconds(1))
            read(4, [10], &world)
            world.pass(.seconds(100), step: 1000)
            #expect(world.sent.isEmpty && world.settled.allSatisfy { $0.verdict == "silent" })
            if crashes { _ = try world.crash() }
            world.arrive(5, for: phone)
            world.pass(.seconds(1))
            world.arrive(6, for: phone)
            world.pass(.seconds(1))
            #expect(world.sent.map(\.number) == [5, 6] && world.sent.map(\.read) == [[8, 9, 10], []])
            #expect(world.sent.map(\.badge) == [4, nil] && world.state.placeCount == 0)
        }
    }

    @Test("a push's own badge is newer than one that was not sent, and a silent push shows no badge")
    func unsentBadges() throws {
        var world = try SenderWorld()
        world.takesNoSilent = { _ in true }
        badge(1, 4, &world)
        world.pass(.seconds(1))
        world.arrive(2, for: phone, badge: 7)
        world.pass(.seconds(1))
        #expect(world.sent.map(\.badge) == [7])
        badge(3, 5, &world)
        world.pass(.seconds(1))
        // The browser registers again, for silent pushes.
        world.takesNoSilent = { _ in false }
        world.arrive(4, for: phone, isVisible: false)
        world.pass(.seconds(1))
        #expect(world.sent[1].isSilent && world.sent[1].badge == nil)
    }

    @Test("marks stay until a push that takes them along is accepted: a failure and a refusal lose none")
    func refusedPushes() throws {
        var world = try SenderWorld()
        world.takesNoSilent = { _ in true }
        read(1, [8], &world)
        world.pass(.seconds(1))
        let failure = PushFailure(reason: "f")
        world.provider = { push, _ in (push.number == 2 ? .dropped(failure) : .taken, 5) }
        world.arrive(2, for: phone)
        world.pass(.seconds(1))
        #expect(world.sent.map(\.read) == [[8]])
        var failures = 1
        world.provider = { _, _ in
            defer { failures -= 1 }
            return (failures > 0 ? .failed(failure, .address(after: nil)) : .taken, 5)
        }
        world.arrive(3, for: phone)
        world.pass(.seconds(60))
        #expect(world.sent.map(\.read) == [[8], [8], [8]] && world.sent.map(\.isAccepted) == [false, false, true])
        world.arrive(4, for: phone)
        world.pass(.seconds(1))
        #expect(world.sent.last?.read == [])
    }

    @Test("read notifications that were dropped on a phone go with its next push of any kind")
    func throttled() throws {
        var world = try SenderWorld()
        world.terms.isThrottled = true
        for number in 1...4 {
            read(Int64(number), [Int64(number)], &world)
            world.pass(.seconds(1))
        }
        world.arrive(5, for: phone, isVisible: false)
        world.pass(.seconds(1))
        #expect(world.sent.map(\.read) == [[1], [2], [3, 4]])
    }

    @Test("marks of so many destinations are kept, the newest few of each, and none of a device without an address")
    func bounds() throws {
        var world = try SenderWorld()
        world.takesNoSilent = { _ in true }
        let most = SenderState.unsentMarksMax
        for number in 1...Int64(most + 10) {
            world.arrive(
                number, for: SenderWorld.device("d\(number)"), isVisible: false, isMark: true, read: [number])
        }
        world.pass(.seconds(1))
        #expect(world.state.placeCount == most)
        var number = Int64(most + 10)
        for change in 1...30 {
            number += 1
            world.arrive(number, for: SenderWorld.device("d1"), isVisible: false, isMark: true, read: [Int64(change)])
            world.pass(.milliseconds(200))
        }
        world.state.drop(SenderWorld.device("d2"), "noAddress", isForgotten: true, at: world.time)
        for device in ["d1", "d2", "d\(most + 10)"] {
            number += 1
            world.arrive(number, for: SenderWorld.device(device))
            if device == "d2" {
                world.state.drop(SenderWorld.device(device), "noAddress", isForgotten: true, at: world.time)
                world.arrive(number + 1, for: SenderWorld.device(device))
                number += 1
            }
            world.pass(.seconds(1))
        }
        #expect(world.sent.map(\.read) == [Array(11...30), [], []])
        #expect(world.state.placeCount == most - 2)
    }
}
