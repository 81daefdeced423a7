import CloudModel
import RecordStore
import Testing

extension StoreConformance {
    static func device(_ id: String, _ user: UserRecordName, _ epoch: Int64) -> StoredDevice {
        StoredDevice(
            device: Device(
                id: DeviceID(trusted: id), user: user, epoch: DeviceEpoch(epoch), name: "ü\u{0}x", platform: "",
                registered: now), lastSeen: Timestamp(milliseconds: 1_000 - epoch),
            lastHeard: Timestamp(milliseconds: epoch), token: epoch == 2 ? nil : "t\(epoch)")
    }

    static let userChecks: [Check] = [
        Check("users, their devices, and API tokens") { environment in
            try await environment.withStore { store in
                let devices = [device("z", alice, 1), device("a", alice, 2), device("b", bob, 3)]
                try await store.write { transaction in
                    try transaction.addUser(alice, .development("alice"), at: now)
                    try transaction.addUser(bob, UserIdentity(issuer: "other", subject: "alice"), at: now)
                    for device in devices { try transaction.save(device) }
                    try transaction.addAPIToken(digest: [1, 2], note: "n", at: now)
                    try transaction.noteDeviceEvent(of: alice, CommitSequence(7))
                }
                try await store.read { reader throws in
                    #expect(try reader.user(.development("alice")) == alice)
                    #expect(try reader.user(UserIdentity(issuer: "other", subject: "alice")) == bob)
                    #expect(try reader.user(.development("Alice")) == nil)
                    #expect(try reader.devices(of: alice) == Array(devices[..<2]))
                    #expect(try reader.device(DeviceID(trusted: "b")) == devices[2])
                    let time = Timestamp(milliseconds: 3)
                    #expect(try reader.silentDevices(before: time, limit: 9) == Array(devices[..<2]))
                    #expect(try reader.silentDevices(before: time, limit: 1) == [devices[0]])
                    #expect(try reader.device(DeviceID(trusted: "B")) == nil)
                    #expect(try reader.hasAPIToken(digest: [1, 2]))
                    #expect(try !reader.hasAPIToken(digest: [1]))
                    #expect(try reader.lastDeviceEvent(of: alice) == CommitSequence(7))
                    #expect(try reader.lastDeviceEvent(of: bob) == .zero)
                }
                // A device needs its user, and an identity is one user's.
                await store.expectRefusal { try $0.save(device("c", UserRecordName(trusted: "_nobody"), 4)) }
                await store.expectRefusal {
                    try $0.addUser(UserRecordName(trusted: "_x"), .development("alice"), at: now)
                }
                try await store.write { try $0.deleteDevice(DeviceID(trusted: "z")) }
                #expect(try await store.read { try $0.devices(of: alice) } == [devices[1]])
            }
        },
        Check("policies of devices, and deliveries that are due") { environment in
            try await environment.withStore { store in
                let late = DueDelivery(user: alice, at: 5, due: Timestamp(milliseconds: 900))
                let early = DueDelivery(user: bob, at: 7, due: Timestamp(milliseconds: 100))
                let phone = DeviceID(trusted: "z")
                try await store.write { transaction in
                    try transaction.addUser(alice, .development("alice"), at: now)
                    try transaction.save(device("z", alice, 1))
                    try transaction.setPolicies([1, 0, 2], of: phone)
                    for delivery in [late, early] { try transaction.add(delivery) }
                    // The first time stays.
                    try transaction.add(DueDelivery(user: alice, at: 5, due: Timestamp(milliseconds: 1)))
                }
                try await store.read { reader throws in
                    #expect(try reader.policies(of: phone) == [1, 0, 2])
                    #expect(try reader.policies(of: DeviceID(trusted: "y")) == nil)
                    #expect(try reader.dueDeliveries(limit: 9) == [early, late])
                    #expect(try reader.dueDeliveries(limit: 1) == [early])
                }
                try await store.write { transaction in
                    try transaction.setPolicies([3], of: phone)
                    try transaction.remove(early)
                }
                #expect(try await store.read { try $0.policies(of: phone) } == [3])
                #expect(try await store.read { try $0.dueDeliveries(limit: 9) } == [late])
                try await store.write { transaction in
                    try transaction.deleteDevice(phone)
                    try transaction.forgetDueDeliveries(of: alice)
                }
                #expect(try await store.read { try $0.policies(of: phone) } == nil)
                #expect(try await store.read { try $0.dueDeliveries(limit: 9) }.isEmpty)
            }
        },
        Check("usage is never below zero") { environment in
            try await environment.withStore { store in
                try await store.write { transaction in
                    try transaction.addUsage(5, .privateBytes, of: alice)
                    try transaction.addUsage(-7, .privateBytes, of: alice)
                    try transaction.addUsage(2, .privateBytes, of: alice)
                }
                try await store.read { reader throws in
                    #expect(try reader.usage(of: alice)[.privateBytes] == 2)
                    #expect(try reader.usage(of: bob)[.privateBytes] == 0)
                }
            }
        },
    ]
}
