import CloudModel
import EventLog
import Messages
import RecordStore
import Testing

@testable import RecordService

/// Web couriers as devices of their own (spec section 5.12).
@Suite struct CourierTests {
    private func make(_ bench: Bench, _ client: String? = nil, for caller: Caller? = nil) async throws
        -> CourierAddress
    {
        try await bench.service.makeCourier(
            CourierKind("web"), platform: "webcourier", .production, client: client.map { DeviceID(trusted: $0) },
            for: caller ?? bench.alice)
    }

    private func devices(_ bench: Bench) async throws -> [Device] {
        try await bench.service.listDevices(for: bench.alice).map(\.device)
    }

    /// Delivery has applied what was done so far.
    private func deliver(_ bench: Bench) {
        for caller in [bench.alice, bench.bob] {
            bench.service.deliveries.update(caller.user!, UserState(applied: .max))
        }
    }

    @Test func aCourierIsADeviceOfItsOwn() async throws {
        let bench = try await Bench()
        let address = try await make(bench, "browser")
        let device = try #require(try await devices(bench).first)
        #expect(device.platform == "webcourier" && device.name == "browser")
        let events = try await bench.outbox().map { try DeliveryEntry(decoding: $0.value!).event }
        guard case .registered(let event)?? = events.first else { throw MalformedMessage("\(events)") }
        #expect(event.device == device.id.rawValue && event.courier == "web" && events.count == 1)
        #expect(address.device == device.id && address.epoch == device.epoch && address.user == device.user)
        deliver(bench)
        let courier = try await bench.service.courier(address)
        #expect(courier.device == device && courier.client?.rawValue == "browser" && courier.token == nil)
        await expect(code: .authenticationRequired) { try await make(bench, for: Caller(user: nil)) }
    }

    @Test func itsTimeEnds() async throws {
        let bench = try await Bench()
        let address = try await make(bench)
        deliver(bench)
        bench.move(by: .seconds(Limits.courierSeconds - 1))
        _ = try await bench.service.courier(address)
        try await bench.service.removeEndedCouriers()
        #expect(try await devices(bench).count == 1)
        bench.move(by: .seconds(1))
        await expect(code: .badRequest) { try await bench.service.courier(address) }
        bench.move(by: .seconds(1))
        try await bench.service.removeEndedCouriers()
        #expect(try await devices(bench).isEmpty)
        let last = try #require(try await bench.outbox().last)
        guard case .unregistered? = try DeliveryEntry(decoding: last.value!).event else {
            throw MalformedMessage("no unregistration")
        }
    }

    /// One more than there may be takes the place of the one that was asked least recently; other devices stay.
    @Test func tooManyMakeRoom() async throws {
        let bench = try await Bench()
        _ = try await bench.service.registerDevice(
            DeviceID(trusted: "phone"), name: "", platform: "", for: bench.alice)
        var addresses: [CourierAddress] = []
        for _ in 0..<Limits.couriersPerUserMax { addresses.append(try await make(bench)) }
        deliver(bench)
        bench.move(by: .seconds(100))
        try await bench.service.noteSeen(try await bench.service.courier(addresses[0]).device)
        addresses.append(try await make(bench))
        deliver(bench)
        #expect(try await devices(bench).count == 1 + Limits.couriersPerUserMax)
        #expect(try await devices(bench).contains { $0.id.rawValue == "phone" })
        await expect(code: .notFound) { try await bench.service.courier(addresses[1]) }
        for address in [addresses[0], addresses[2], addresses[Limits.couriersPerUserMax]] {
            _ = try await bench.service.courier(address)
        }
    }

    @Test func onlyOneTakesAPayload() async throws {
        let bench = try await Bench()
        let address = try await make(bench)
        deliver(bench)
        let first = try await bench.service.courier(address)
        #expect(try await bench.service.advance(first, to: "1"))
        #expect(try await !bench.service.advance(first, to: "1"), "it was somebody else's")
        let second = try await bench.service.courier(address)
        #expect(second.token == "1")
        #expect(try await bench.service.advance(second, to: "1"), "nothing was taken")
        try await bench.service.unregisterDevice(first.device.id, for: bench.alice)
        #expect(try await !bench.service.advance(second, to: "2"))
        await expect(code: .notFound) { try await bench.service.courier(address) }
    }

    @Test func registeringNamesTheClient() async throws {
        let bench = try await Bench()
        let address = try await make(bench)
        deliver(bench)
        let service = bench.service
        let browser = DeviceID(trusted: "browser")
        try await service.registerCourier(address, .production, client: browser, for: bench.alice)
        #expect(try await service.courier(address).client == browser)
        try await service.registerCourier(address, .production, client: nil, for: bench.alice)
        #expect(try await service.courier(address).client == browser)
        await expect(code: .badRequest) {
            try await service.registerCourier(address, .development, client: nil, for: bench.alice)
        }
        await expect(code: .badRequest) {
            try await service.registerCourier(address, .production, client: nil, for: bench.bob)
        }
        await expect(code: .badRequest) {
            try await service.registerCourier(
                nil, .production, client: nil, for: bench.alice)
        }
    }
}
