import CloudMessages
import CloudModel
import ProtocolBuffers
import RecordStore
import TestSupport
import Testing

@testable import RecordService

/// Web couriers as devices of their own (docs/cloudkit.md#web-courier).
@Suite struct CourierTests {
    private func make(_ rig: RecordServiceRig, _ client: String? = nil, for caller: Caller? = nil) async throws
        -> CourierAddress
    {
        try await rig.service.makeCourier(
            CourierKind("web"), platform: "webcourier", .production, client: client.map { DeviceID(trusted: $0) },
            for: caller ?? rig.alice)
    }

    private func devices(_ rig: RecordServiceRig) async throws -> [Device] {
        try await rig.service.listDevices(for: rig.alice).map(\.device)
    }

    /// Delivery has applied all events so far.
    private func deliver(_ rig: RecordServiceRig) {
        for caller in [rig.alice, rig.bob] {
            rig.service.deliveries.update(caller.user!, UserState(applied: .max))
        }
    }

    @Test func aCourierIsADeviceOfItsOwn() async throws {
        let rig = try await RecordServiceRig()
        let address = try await make(rig, "browser")
        let device = try #require(try await devices(rig).first)
        #expect(device.platform == "webcourier" && device.name == "browser")
        let events = try await rig.outbox().map { try DeliveryEntry(decoding: $0.value!).event }
        guard case .registered(let event)?? = events.first else { throw MalformedMessage("\(events)") }
        #expect(event.device == device.id.rawValue && event.courier == "web" && events.count == 1)
        #expect(address.device == device.id && address.epoch == device.epoch && address.user == device.user)
        deliver(rig)
        let courier = try await rig.service.courier(address)
        #expect(courier.device == device && courier.client?.rawValue == "browser" && courier.token == nil)
        await expect(code: .authenticationRequired) { try await make(rig, for: Caller(user: nil)) }
    }

    @Test func itsTimeEnds() async throws {
        let rig = try await RecordServiceRig()
        let address = try await make(rig)
        deliver(rig)
        rig.move(by: .seconds(Limits.courierSeconds - 1))
        _ = try await rig.service.courier(address)
        try await rig.service.removeEndedCouriers()
        #expect(try await devices(rig).count == 1)
        rig.move(by: .seconds(1))
        await expect(code: .badRequest) { try await rig.service.courier(address) }
        rig.move(by: .seconds(1))
        try await rig.service.removeEndedCouriers()
        #expect(try await devices(rig).isEmpty)
        let last = try #require(try await rig.outbox().last)
        guard case .unregistered? = try DeliveryEntry(decoding: last.value!).event else {
            throw MalformedMessage("no unregistration")
        }
    }

    /// One more than there may be takes the place of the one that was asked least recently; other devices stay.
    @Test func tooManyMakeRoom() async throws {
        let rig = try await RecordServiceRig()
        _ = try await rig.service.registerDevice(
            DeviceID(trusted: "phone"), name: "", platform: "", for: rig.alice)
        var addresses: [CourierAddress] = []
        for _ in 0..<Limits.couriersPerUserMax { addresses.append(try await make(rig)) }
        deliver(rig)
        rig.move(by: .seconds(100))
        try await rig.service.noteSeen(try await rig.service.courier(addresses[0]).device)
        addresses.append(try await make(rig))
        deliver(rig)
        #expect(try await devices(rig).count == 1 + Limits.couriersPerUserMax)
        #expect(try await devices(rig).contains { $0.id.rawValue == "phone" })
        await expect(code: .notFound) { try await rig.service.courier(addresses[1]) }
        for address in [addresses[0], addresses[2], addresses[Limits.couriersPerUserMax]] {
            _ = try await rig.service.courier(address)
        }
    }

    @Test func onlyOneTakesAPayload() async throws {
        let rig = try await RecordServiceRig()
        let address = try await make(rig)
        deliver(rig)
        let first = try await rig.service.courier(address)
        #expect(try await rig.service.advance(first, to: "1"))
        #expect(try await !rig.service.advance(first, to: "1"), "it was somebody else's")
        let second = try await rig.service.courier(address)
        #expect(second.token == "1")
        #expect(try await rig.service.advance(second, to: "1"), "nothing was taken")
        try await rig.service.unregisterDevice(first.device.id, for: rig.alice)
        #expect(try await !rig.service.advance(second, to: "2"))
        await expect(code: .notFound) { try await rig.service.courier(address) }
    }

    @Test func registeringNamesTheClient() async throws {
        let rig = try await RecordServiceRig()
        let address = try await make(rig)
        deliver(rig)
        let service = rig.service
        let browser = DeviceID(trusted: "browser")
        try await service.registerCourier(address, .production, client: browser, for: rig.alice)
        #expect(try await service.courier(address).client == browser)
        try await service.registerCourier(address, .production, client: nil, for: rig.alice)
        #expect(try await service.courier(address).client == browser)
        await expect(code: .badRequest) {
            try await service.registerCourier(address, .development, client: nil, for: rig.alice)
        }
        await expect(code: .badRequest) {
            try await service.registerCourier(address, .production, client: nil, for: rig.bob)
        }
        await expect(code: .badRequest) {
            try await service.registerCourier(
                nil, .production, client: nil, for: rig.alice)
        }
    }
}
