import CloudModel
import Feeds
import MemoryLog
import RecordService
import TestSupport
import Testing

/// From a saved record to a read notification, over the embedded logs.
@Suite struct DeliveryPathTests {
    private func subscription(_ id: String, _ filters: [GivenFilter] = [], firesOnce: Bool = false) -> SubscriptionDraft
    {
        SubscriptionDraft(
            id: SubscriptionID(trusted: id),
            query: GivenQuery(recordType: RecordType(trusted: "Artwork"), filters: filters),
            zone: nil, firesOn: [.create, .update, .delete], firesOnce: firesOnce,
            notificationInfo: NotificationInfo(alertBody: "new", shouldBadge: true))
    }

    private func save(_ name: String, year: Int64) -> RecordOperation {
        RecordOperation(
            kind: .forceUpdate, recordName: RecordName(trusted: name), recordType: RecordType(trusted: "Artwork"),
            fields: [FieldName(trusted: "year"): GivenValue(.int64(year), isTypeExplicit: false)])
    }

    private func names(_ notifications: [Notification]) -> [String] {
        notifications.map { notification in
            switch notification.content {
            case .query(let content): "\(content.recordName)/\(content.subscription.id)"
            case .omitted(let rest): "omitted \(rest.count)"
            case .read: "read \(notification.subject.change)"
            }
        }
    }

    @Test func aSavedRecordBecomesANotificationOnEveryDevice() async throws {
        try await within {
            let system = try await TestSystem(log: MemoryLog())
            let alice = try await system.user("alice")
            let phone = try await system.service.registerDevice(nil, name: "phone", platform: "", for: alice)
            let after1900 = GivenFilter(
                field: .field(FieldName(trusted: "year")), comparator: .greaterThan,
                operand: .value(GivenValue(.int64(1900), isTypeExplicit: false)))
            let results = try await system.service.modifySubscriptions(
                [.create(subscription("modern", [after1900])), .create(subscription("all"))], in: .public, for: alice)
            #expect(results.allSatisfy { if case .subscription = $0 { true } else { false } })
            let saved = try await system.service.modifyRecords(
                (0..<10).map { save("a\($0)", year: 1895 + Int64($0)) }, in: .public, for: alice)
            #expect(saved.allSatisfy { if case .record = $0 { true } else { false } })
            let expected = (0..<10).flatMap { $0 > 5 ? ["a\($0)/all", "a\($0)/modern"] : ["a\($0)/all"] }
            try await eventually("all notifications") {
                try await system.feed(phone.id, of: alice).count == expected.count
            }
            let first = try await system.feed(phone.id, of: alice)
            #expect(Set(names(first)) == Set(expected))
            let laptop = try await system.service.registerDevice(nil, name: "laptop", platform: "", for: alice)
            // History carries no badge: what differs is only that.
            #expect(names(try await system.feed(laptop.id, of: alice)) == names(first))
            try await system.service.markRead([first[0].subject.change], on: laptop.id, for: alice)
            let read = try await system.feed(phone.id, of: alice)
            #expect(names(read) == names(first) + ["read \(first[0].subject.change)"])
            #expect(try await system.service.badge(of: phone.id, for: alice) == Int64(expected.count))
            await system.stop()
        }
    }

    @Test func aSubscriptionThatFiresOnceFiresOnceAndIsDeleted() async throws {
        try await within {
            let system = try await TestSystem(log: MemoryLog())
            let alice = try await system.user("alice")
            let phone = try await system.service.registerDevice(nil, name: "", platform: "", for: alice)
            _ = try await system.service.modifySubscriptions(
                [.create(subscription("once", firesOnce: true))], in: .public, for: alice)
            _ = try await system.service.modifyRecords(
                (0..<50).map { save("a\($0)", year: 1) }, in: .public, for: alice)
            try await eventually("the subscription's deletion") {
                try await system.service.listSubscriptions(in: .public, for: alice).isEmpty
            }
            _ = try await system.service.modifySubscriptions([.create(subscription("after"))], in: .public, for: alice)
            _ = try await system.service.modifyRecords([save("last", year: 1)], in: .public, for: alice)
            try await eventually("the last notification") {
                try await names(system.feed(phone.id, of: alice)).contains("last/after")
            }
            let feed = try await names(system.feed(phone.id, of: alice))
            #expect(feed.filter { $0.hasSuffix("/once") }.count == 1)
            await system.stop()
        }
    }
}
