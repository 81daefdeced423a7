import CloudModel
import RecordStore
import Testing

extension StoreConformance {
    private static func subscription(
        _ id: String, _ user: UserRecordName = alice, _ database: DatabaseScope = .public, condition: [UInt8],
        saved: Int64 = 1
    ) -> StoredSubscription {
        StoredSubscription(
            key: SubscriptionKey(user: user, database: database, id: SubscriptionID(trusted: id)),
            created: CommitSequence(1),
            saved: CommitSequence(saved), condition: condition, body: [7])
    }

    static let subscriptionChecks: [Check] = [
        Check("subscriptions belong to one user in one database") { environment in
            try await environment.withStore { store in
                let all = [
                    subscription("b", condition: [1]), subscription("a", condition: [2]),
                    subscription("a", bob, condition: [1]), subscription("a", alice, .private, condition: [1]),
                ]
                try await store.write { transaction in for one in all { try transaction.save(one) } }
                try await store.read { reader throws in
                    #expect(try reader.subscriptions(of: alice, in: .public) == [all[1], all[0]])
                    #expect(try reader.subscriptionCount(of: alice, in: .public) == 2)
                    #expect(try reader.subscriptionCount(of: bob, in: .private) == 0)
                    for one in all { #expect(try reader.subscription(one.key) == one) }
                    #expect(
                        try reader.subscriptionID(of: alice, in: .public, condition: [2])
                            == SubscriptionID(trusted: "a"))
                    #expect(try reader.subscriptionID(of: bob, in: .public, condition: [2]) == nil)
                }
                // The condition is unique, also below the use cases.
                await store.expectRefusal { try $0.save(subscription("c", condition: [1])) }
                let updated = subscription("b", condition: [1], saved: 9)
                try await store.write { try $0.save(updated) }
                try await store.read { reader throws in
                    #expect(try reader.subscription(updated.key) == updated)
                    #expect(try reader.lastRemovedSubscription() == .zero, "none was published")
                }
                try await store.write { try $0.deleteSubscription(updated.key) }
                try await store.read { reader throws in
                    #expect(try reader.subscription(updated.key) == nil)
                    #expect(try reader.lastRemovedSubscription() == .zero)
                }
            }
        },
        Check("backfills count for their user from a time on, and open ones until they end") { environment in
            try await environment.withStore { store in
                @Sendable func at(_ time: Int64) -> Timestamp { Timestamp(milliseconds: time) }
                func recent(_ user: UserRecordName, since time: Int64) async throws -> RecentBackfills {
                    try await store.read { try $0.backfills(of: user, since: at(time)) }
                }
                try await store.write { transaction in
                    for (created, database) in [(1, .public), (2, .public), (3, .private)] as [(Int64, DatabaseScope)] {
                        try transaction.addBackfill(
                            CommitSequence(created), of: alice, in: database, at: at(created * 100))
                    }
                    try transaction.addBackfill(CommitSequence(4), of: bob, in: .public, at: at(400))
                    try transaction.endBackfills([CommitSequence(2), CommitSequence(4), CommitSequence(9)], of: alice)
                }
                #expect(
                    try await recent(alice, since: 0) == RecentBackfills(count: 3, open: [.public: 1, .private: 1]))
                #expect(
                    try await recent(alice, since: 101) == RecentBackfills(count: 2, open: [.public: 0, .private: 1]))
                #expect(try await recent(bob, since: 0) == RecentBackfills(count: 1, open: [.public: 1]))
                try await store.write { try $0.removeBackfills(before: at(300), limit: 1) }
                #expect(try await recent(alice, since: 0).count == 2)
                try await store.write { try $0.removeBackfills(before: at(300), limit: 10) }
                #expect(try await recent(alice, since: 0) == RecentBackfills(count: 1, open: [.private: 1]))
                try await store.write { try $0.forgetBackfills(of: alice) }
                #expect(try await recent(alice, since: 0) == RecentBackfills())
                #expect(try await recent(bob, since: 0).count == 1)
            }
        },
        Check("superseded versions come oldest first once their time is over") { environment in
            try await environment.withStore { store in
                let versions = [(3, 300), (1, 100), (2, 200)].map {
                    SupersededVersion(
                        sequence: CommitSequence(Int64($0.0)), key: [UInt8($0.0)],
                        time: Timestamp(milliseconds: Int64($0.1)))
                }
                try await store.write { transaction in
                    for version in versions { try transaction.addSuperseded(version) }
                }
                func found(_ time: Int64, _ limit: Int = 10) async throws -> [Int64] {
                    try await store.read {
                        try $0.supersededVersions(before: Timestamp(milliseconds: time), limit: limit)
                            .map(\.sequence.rawValue)
                    }
                }
                #expect(try await found(100) == [])
                #expect(try await found(201) == [1, 2])
                #expect(try await found(1000, 2) == [1, 2])
                try await store.write { try $0.removeSuperseded(CommitSequence(1)) }
                #expect(try await found(1000) == [2, 3])
            }
        },
    ]
}
