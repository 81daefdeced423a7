import CloudMessages
import CloudModel
import EventLog
import ProtocolBuffers
import Testing

@testable import NotificationDelivery

/// The couriers of a user's devices, as the state knows them.
@Suite struct CourierStateTests {
    @Test(
        "each kind of address of a device is a target of its own, since its last registration, also after a take-over")
    func kinds() throws {
        func changed(_ courier: String, since: Int64, epoch: Int64 = UserStateTests.epoch) -> DeliveryEntry.Event {
            .courierChanged(CourierChanged(device: "phone", epoch: epoch, courier: courier, since: since))
        }
        var feeder = try UserStateTests.Feeder()
        let events = [
            UserStateTests.registered("phone", courier: "web"), changed("webPush", since: 3), changed("apns", since: 4),
            changed("webPush", since: 7), changed("apns", since: 9, epoch: UserStateTests.epoch + 1),
        ]
        let step = feeder.apply(events)
        #expect(step.outputs.journals.count == 1 && step.outputs.pushes.isEmpty, "only the registration is seen")
        var taken = try UserStateTests.Feeder(try UserStateTests().state(step))
        func targets(_ change: Int64) throws -> [String] {
            try taken.apply([UserStateTests.hits(change)]).outputs.pushes.flatMap {
                try PushEntry(decoding: $0.value!).targets
            }
            .map { "\($0.courier) \($0.since)" }
        }
        #expect(try targets(9) == ["apns 4", "webPush 7"], "the courier that its client polls is none")
        let removed = taken.apply([
            changed("apns", since: 0), changed("web", since: 0), changed("webhook", since: 0),
        ])
        #expect(try UserStateTests().state(removed).devices.map(\.courier) == ["web"], "it is no address")
        #expect(try targets(10) == ["webPush 7"])
        _ = taken.apply([
            .registered(DeviceRegistered(device: "phone", epoch: UserStateTests.epoch + 1, name: "", platform: ""))
        ])
        #expect(try targets(11) == [], "another life has none")
    }

    @Test("a state from before there were kinds with an address is read, and an older version reads what it knows")
    func olderState() throws {
        var older = UserState(
            devices: [DeviceState(device: "browser", epoch: UserStateTests.epoch, courier: "web")])
        older.devices[0].couriers = []
        var feeder = try UserStateTests.Feeder(older)
        let changed = CourierChanged(device: "browser", epoch: UserStateTests.epoch, courier: "apns", since: 4)
        let newer = try UserStateTests().state(feeder.apply([.courierChanged(changed)]))
        #expect(newer.devices[0].courier == "web" && newer.devices[0].couriers.map(\.courier) == ["apns"])
        let pushes = try feeder.apply([UserStateTests.hits(9)]).outputs.pushes.map {
            try PushEntry(decoding: $0.value!)
        }
        #expect(pushes.map { $0.targets.map(\.courier) } == [["apns"]])
    }
}
