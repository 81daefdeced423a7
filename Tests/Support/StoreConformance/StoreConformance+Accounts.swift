import CloudModel
import RecordStore
import Testing

extension StoreConformance {
    static let accountChecks: [Check] = [
        Check("sessions end one by one or all, and users are blocked") { environment in
            try await environment.withStore { store in
                func account() async throws -> StoredAccount? { try await store.read { try $0.account(of: alice) } }
                #expect(try await account() == nil)
                try await store.write { try $0.addUser(alice, .development("alice"), at: now) }
                let new = StoredAccount(exists: true, isBlocked: false, sessionEpoch: 0, endedSessions: [])
                #expect(try await account() == new)
                try await store.write { transaction in
                    try transaction.endSession(.max, of: alice, until: now)
                    try transaction.endSession(5, of: alice, until: Timestamp(milliseconds: 9))
                    try transaction.endSession(5, of: alice, until: Timestamp(milliseconds: 9))
                }
                #expect(try await account()?.endedSessions == [5, .max])
                try await store.write { try $0.removeEndedSessions(before: Timestamp(milliseconds: 10)) }
                #expect(try await account()?.endedSessions == [.max])
                try await store.write { transaction in
                    try transaction.endSessions(of: alice)
                    try transaction.setBlocked(true, alice)
                }
                let blocked = StoredAccount(exists: true, isBlocked: true, sessionEpoch: 1, endedSessions: [])
                #expect(try await account() == blocked)
                try await store.write { transaction in
                    try transaction.setBlocked(false, alice)
                    try transaction.removeIdentity(of: alice)
                }
                #expect(try await account()?.exists == false)
                await store.expectRefusal { try $0.addUser(alice, .development("another"), at: now) }
            }
        },
        Check("identity changes are listed by version") { environment in
            try await environment.withStore { store in
                func changes(_ version: Int64) async throws -> (version: Int64, users: [UserRecordName]?) {
                    try await store.read { try $0.identityChanges(after: version) }
                }
                let first = try await changes(0)
                #expect(first.users == [])
                try await store.write { transaction in
                    for user in [alice, bob, alice] { try transaction.noteIdentityChange(of: user) }
                }
                let second = try await changes(first.version)
                #expect(second.version > first.version && second.users.map { Set($0) } == [alice, bob])
                #expect(try await changes(second.version) == (second.version, []))
                try await store.write { try $0.noteIdentityChange(of: nil) }
                #expect(try await changes(second.version).users == nil, "all are concerned")
                let third = try await changes(second.version).version
                try await store.write { transaction in
                    for _ in 0..<5000 { try transaction.noteIdentityChange(of: bob) }
                }
                // So many that they may be reported as all; never as fewer than they are.
                let many = try await changes(third).users
                #expect(many == nil || many == [bob])
            }
        },
        Check("users are listed by name, and found if they want to be") { environment in
            try await environment.withStore { store in
                let profile = UserProfile(name: bob, email: "bob@example.com", givenName: "Bob", familyName: "Ü")
                try await store.write { transaction in
                    for (user, name) in [(carol, "carol"), (bob, "bob"), (alice, "alice")] {
                        try transaction.addUser(user, .development(name), at: now)
                    }
                    try transaction.setProfile(profile)
                    try transaction.setDiscoverable(true, bob)
                    try transaction.setDiscoverable(true, carol)
                    try transaction.setBlocked(true, carol)
                }
                try await store.read { reader throws in
                    #expect(try reader.users(after: "", limit: 9).map(\.profile.name) == [alice, bob, carol])
                    #expect(try reader.users(after: alice.rawValue, limit: 1).map(\.profile) == [profile])
                    let listed = try #require(try reader.users(after: bob.rawValue, limit: 9).first)
                    #expect(listed.identity == .development("carol") && listed.created == now)
                    #expect(listed.isBlocked && listed.isDiscoverable)
                    #expect(try reader.discoverableProfiles(limit: 9) == [profile], "who is blocked is not found")
                    #expect(try reader.isDiscoverable(bob) && !reader.isDiscoverable(alice))
                    #expect(try reader.profiles(withEmail: "bob@example.com") == [profile])
                    #expect(try reader.profile(of: bob) == profile)
                }
                try await store.write { try $0.removeIdentity(of: bob) }
                try await store.read { reader throws in
                    #expect(try reader.users(after: "", limit: 9).map(\.profile.name) == [alice, carol])
                    #expect(try reader.discoverableProfiles(limit: 9) == [])
                    #expect(try reader.profiles(withEmail: "bob@example.com") == [])
                    #expect(try reader.user(.development("bob")) == nil)
                }
            }
        },
        Check("invitations to an address are held by the user with the address") { environment in
            try await environment.withStore { store in
                try await store.write { transaction in
                    try transaction.addUser(alice, .development("alice"), at: now)
                    try transaction.addUser(bob, UserIdentity(issuer: "invited", subject: "a@example.com"), at: now)
                    try transaction.holdInvitations(to: bob, for: alice)
                    try transaction.holdInvitations(to: bob, for: alice)
                }
                #expect(try await store.read { try $0.invitationsHeld(by: alice) } == [bob])
                #expect(try await store.read { try $0.account(of: bob)?.exists } == false)
                #expect(try await store.read { try $0.users(after: "", limit: 9).map(\.profile.name) } == [alice])
            }
        },
        Check("API tokens and server keys are listed and revoked") { environment in
            try await environment.withStore { store in
                let key = StoredServerKey(id: String(repeating: "ab", count: 32), user: alice, publicKeyPEM: "PEM")
                try await store.write { transaction in
                    try transaction.addUser(alice, .development("alice"), at: now)
                    try transaction.addAPIToken(digest: [0xAB, 1], note: "later", at: Timestamp(milliseconds: 2))
                    try transaction.addAPIToken(digest: [0xAB, 0], note: "first", at: Timestamp(milliseconds: 1))
                    try transaction.addOrigin("https://a.example", toAPIToken: [0xAB, 1])
                    try transaction.addServerKey(key, note: "k", at: now)
                }
                try await store.read { reader throws in
                    #expect(
                        try reader.apiTokens() == [
                            ListedCredential(id: "ab00", note: "first", created: Timestamp(milliseconds: 1)),
                            ListedCredential(
                                id: "ab01", note: "later", created: Timestamp(milliseconds: 2),
                                origins: ["https://a.example"]),
                        ])
                    #expect(try reader.serverKeys() == [ListedCredential(id: key.id, note: "k", created: now)])
                    #expect(try reader.serverKey(key.id) == key)
                    #expect(try reader.origins(ofAPIToken: [0xAB, 1]) == ["https://a.example"])
                    #expect(
                        try reader.admittedAPITokens().map(\.digest).sorted { $0[1] < $1[1] } == [
                            [0xAB, 0], [0xAB, 1],
                        ])
                    #expect(try reader.admittedServerKeys().map(\.id) == [key.id])
                }
                await store.expectRefusal { try $0.addServerKey(key, note: "again", at: now) }
                let revoked = try await store.write { transaction in
                    [
                        try transaction.removeAPIToken(digest: [0xAB, 1]),
                        try transaction.removeAPIToken(digest: [0xAB, 1]), try transaction.removeServerKey(key.id),
                        try transaction.removeServerKey(key.id),
                    ]
                }
                #expect(revoked == [true, false, true, false])
                try await store.read { reader throws in
                    #expect(try reader.apiTokens().map(\.note) == ["first"] && reader.serverKeys().isEmpty)
                    #expect(try !reader.hasAPIToken(digest: [0xAB, 1]))
                }
            }
        },
        Check("a courier goes with its device") { environment in
            try await environment.withStore { store in
                @Sendable func courier(_ id: String, expires: Int64, token: String? = nil) -> StoredCourier {
                    StoredCourier(
                        device: DeviceID(trusted: id), client: id == "c" ? nil : DeviceID(trusted: "client"),
                        apnsEnvironment: .production, token: token, expires: Timestamp(milliseconds: expires))
                }
                try await store.write { transaction in
                    try transaction.addUser(alice, .development("alice"), at: now)
                    // The last heard of is said by the epoch here.
                    for (id, epoch) in [("a", 3), ("b", 1), ("c", 2)] {
                        try transaction.save(device(id, alice, Int64(epoch)))
                        try transaction.save(courier(id, expires: Int64(epoch) * 10))
                    }
                }
                await store.expectRefusal { try $0.save(courier("none", expires: 1)) }
                try await store.write { try $0.save(courier("a", expires: 5, token: "t")) }
                try await store.read { reader throws in
                    #expect(try reader.courier(DeviceID(trusted: "a")) == courier("a", expires: 5, token: "t"))
                    #expect(try reader.courier(DeviceID(trusted: "none")) == nil)
                    #expect(try reader.couriers(of: alice).map(\.device.rawValue) == ["b", "c", "a"])
                    #expect(try reader.couriers(of: bob) == [])
                    let ended = try reader.endedCouriers(before: Timestamp(milliseconds: 20), limit: 9)
                    #expect(ended.map(\.device.rawValue) == ["a", "b"])
                    #expect(try reader.endedCouriers(before: Timestamp(milliseconds: 20), limit: 1).count == 1)
                }
                try await store.write { try $0.deleteDevice(DeviceID(trusted: "a")) }
                #expect(try await store.read { try $0.couriers(of: alice).count } == 2)
            }
        },
        Check("a device has one address of pushes of each kind, found by its code, which go with it") { environment in
            try await environment.withStore { store in
                @Sendable func address(_ id: String, _ kind: CourierKind, code: UInt8) -> StoredPushAddress {
                    StoredPushAddress(
                        device: DeviceID(trusted: id), kind: kind, code: [code], sealed: [1, code], contents: .none,
                        sequence: CommitSequence(7), registered: now)
                }
                var full = address("a", .webPush, code: 2)
                full.since = CommitSequence(5)
                full.contents = .full
                full.lastSuccess = Timestamp(milliseconds: 1)
                full.lastSuccessStatus = 201
                full.lastFailure = StoredPushAddress.Failure(
                    time: Timestamp(milliseconds: 2), status: 410, reason: "gone")
                var silent = address("b", .apns, code: 3)
                silent.lastFailure = StoredPushAddress.Failure(time: Timestamp(milliseconds: 3), reason: "time-out")
                let all = [address("a", .apns, code: 1), full, silent]
                try await store.write { transaction in
                    try transaction.addUser(alice, .development("alice"), at: now)
                    try transaction.addUser(bob, .development("bob"), at: now)
                    try transaction.save(device("a", alice, 1))
                    try transaction.save(device("b", bob, 2))
                    for one in all { try transaction.save(one) }
                }
                await store.expectRefusal { try $0.save(address("none", .apns, code: 9)) }
                await store.expectRefusal { try $0.save(address("b", .webhook, code: 1)) }
                try await store.read { reader throws in
                    #expect(try reader.pushAddresses(of: DeviceID(trusted: "a")) == Array(all[..<2]))
                    #expect(try reader.pushAddresses(of: alice) == Array(all[..<2]))
                    #expect(try reader.pushAddress(code: [3]) == all[2] && reader.pushAddress(code: [4]) == nil)
                    #expect(try reader.pushAddresses(after: nil, limit: 1) == Array(all[..<2]))
                    #expect(try reader.pushAddresses(after: DeviceID(trusted: "a"), limit: 9) == [all[2]])
                }
                full.lastFailure?.status = nil
                full.lastSuccessStatus = nil
                try await store.write { [full] in try $0.save(full) }
                #expect(try await store.read { try $0.pushAddresses(after: nil, limit: 1).last } == full)
                let other = address("a", .apns, code: 4)
                try await store.write { transaction in
                    try transaction.save(other)
                    try transaction.removePushAddress(.webPush, of: DeviceID(trusted: "a"))
                    try transaction.deleteDevice(DeviceID(trusted: "b"))
                }
                #expect(try await store.read { try $0.pushAddresses(after: nil, limit: 9) } == [other])
            }
        },
    ]
}
