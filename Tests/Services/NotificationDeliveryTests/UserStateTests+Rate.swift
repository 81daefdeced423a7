import CloudMessages
import CloudModel
import EventLog
import ProtocolBuffers
import Testing

@testable import NotificationDelivery

/// The rate of bytes of a user's notifications.
extension UserStateTests {
    private static func text(_ change: Int64, bytes: Int) -> DeliveryEntry.Event {
        .hits(
            HitsMessage(
                change: change, kind: 2, recordType: "T", recordName: "r", zone: ZoneMessage(.publicDefault),
                origin: OriginMessage(user: History.users[1].rawValue),
                hits: [
                    Hit(database: 1, subscription: "s", created: 1, alertBody: String(repeating: "x", count: bytes))
                ]))
    }

    private func isDelivered(_ step: PartitionDelivery.Step) -> Bool { step.outputs.notificationCount == 1 }

    @Test(
        "beyond a user's rate notifications are counted, and come back with the time of the log", arguments: [1, 100])
    func rate(devices: Int) throws {
        var feeder = try registered(devices)
        let bytes = 50_000
        let burst = min(Limits.notificationBytesBurst, Limits.feedBytesBurst / devices) / bytes
        var delivered = 0
        for change in 1...100 {
            let step = feeder.apply([Self.text(Int64(change), bytes: bytes)], at: 1_000_000)
            if isDelivered(step) { delivered += 1 }
            let journal = try texts(step.outputs.journals)
            #expect(journal.count == 1)
            if change > burst + 1 { #expect(journal == ["omitted 1 of \(change)"]) }
        }
        #expect([burst, burst + 1].contains(delivered))
        // Small ones come through, and so do those of others.
        #expect(isDelivered(feeder.apply([Self.text(101, bytes: 300)], at: 1_000_000)))
        #expect(!isDelivered(feeder.apply([Self.text(102, bytes: bytes)], at: 999_000)))
        let later = (103..<203).map { isDelivered(feeder.apply([Self.text($0, bytes: bytes)], at: 1_001_000)) }
        #expect([10, 11].contains(later.count { $0 }))
    }

    @Test("a bucket is refilled again when the log's clock comes back from a leap of years")
    func rateAfterALeap() throws {
        let years = Int64(20 * 365) * 86_400_000
        var feeder = try Feeder()
        var change = Int64(0)
        func delivered(_ count: Int, at time: Int64) -> Int {
            (0..<count).count { _ in
                change += 1
                return isDelivered(feeder.apply([Self.text(change, bytes: 50_000)], at: time))
            }
        }
        let burst = delivered(100, at: years * 2)
        #expect(burst < 100)
        #expect(delivered(100, at: years) == 0, "going back refills nothing")
        #expect(delivered(100, at: years + 1_000_000) == burst)
    }

    @Test("a state that is stored and read again decides as the one that goes on")
    func rateInState() throws {
        var through = try Feeder()
        var state: UserState?
        var delivered = 0
        for change in Int64(1)...60 {
            let event = Self.text(change, bytes: 100_000)
            let expected = through.apply([event], at: change * 20)
            var restarted = try Feeder(state)
            restarted.count = through.count - 1
            let step = restarted.apply([event], at: change * 20)
            #expect(isDelivered(step) == isDelivered(expected))
            if isDelivered(step) { delivered += 1 }
            state = try self.state(step)
            #expect(try self.state(expected).encoded() == state?.encoded())
        }
        #expect(delivered > 20 && delivered < 40)
        // A rested user's state says nothing of it.
        let rested = try self.state(through.apply([Self.text(99, bytes: 300)], at: 1_000_000))
        #expect(rested.rateBytes == 0 && rested.rateTime == 0)
    }

    @Test("an honest user's load is not touched: 100 devices, 500 notifications of a kilobyte a second")
    func honestRate() throws {
        var few = try registered(1)
        for change in Int64(1)...10_000 {
            #expect(isDelivered(few.apply([Self.text(change, bytes: 1024)], at: change * 2)))
        }
        var many = try registered(100)
        for change in Int64(1)...1000 {
            #expect(isDelivered(many.apply([Self.text(change, bytes: 1024)], at: change * 2)))
        }
    }

    @Test("hits that are only counted say whose database it is")
    func countsWithoutHits() throws {
        var feeder = try registered(1)
        guard case .hits(var hits) = Self.text(7, bytes: 1) else { return }
        hits.hits = []
        hits.omitted = 3
        hits.database = 3
        let step = feeder.apply([.hits(hits)])
        #expect(step.outputs.journals.count == 1)
        for entry in step.outputs.journals {
            guard case .omitted(let rest)? = try FeedEntry(decoding: entry.value!).entry else {
                Issue.record("another entry")
                continue
            }
            #expect(rest.database == 3 && rest.count == 3)
        }
    }
}
