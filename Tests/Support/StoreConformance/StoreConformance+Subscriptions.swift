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
                    #expect(try reader.lastSubscriptionSequence() == CommitSequence(9))
                }
                try await store.write { try $0.deleteSubscription(updated.key, at: CommitSequence(12)) }
                try await store.read { reader throws in
                    #expect(try reader.subscription(updated.key) == nil)
                    #expect(try reader.lastSubscriptionSequence() == CommitSequence(12))
                }
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
