import CloudMessages
import CloudModel
import Foundation
import RecordService
import RecordStore
import SQLite
import SQLiteRecordStore

/// Users, each with a subscription and some devices, in the store of a stopped record-service, as their requests would
/// have left them. The service registers them in the log when it starts again: its outbox has the rows to publish.
struct Crowd {
    let users: Range<Int>
    let devicesEach: Int

    private static let usersAtOnce = 500

    /// Fills a store. The users sign in as `u0`, `u1`, …; their devices are `d0-0`, `d0-1`, …
    /// - Parameter type: the record type that everybody subscribes to; a record of it has to have been saved.
    func fill(_ path: String, _ scope: ContainerEnvironment, type: RecordType) async throws {
        let store = try SQLiteRecordStore(SQLiteConfiguration(path: path, isDurable: false), role: .owner)
        let service = RecordService(layout: TopicLayout(scope), store: store)
        for first in stride(from: users.lowerBound, to: users.upperBound, by: Self.usersAtOnce) {
            let part = first..<min(first + Self.usersAtOnce, users.upperBound)
            let names = part.map { _ in UserRecordName(trusted: UniqueName.makeUser()) }
            let now = Timestamp(milliseconds: Int64(Date().timeIntervalSince1970 * 1000))
            try await store.write(in: .whole) { transaction in
                for (number, name) in zip(part, names) {
                    try transaction.addUser(name, .development("u\(number)"), at: now)
                }
            }
            try await withThrowingTaskGroup(of: Void.self) { group in
                for (number, name) in zip(part, names) {
                    group.addTask { try await register(number, name, service, type) }
                }
                try await group.waitForAll()
            }
        }
        await store.close()
    }

    private func register(_ number: Int, _ name: UserRecordName, _ service: RecordService, _ type: RecordType)
        async throws
    {
        let caller = Caller(user: name)
        let draft = SubscriptionDraft(
            id: SubscriptionID(trusted: "s0"), query: GivenQuery(recordType: type, filters: []), zone: nil,
            firesOn: [.create], firesOnce: false, notificationInfo: NotificationInfo(alertBody: "new"))
        for case .failed(_, let error) in try await service.modifySubscriptions(
            [.create(draft)], in: .public, for: caller)
        {
            throw error
        }
        for device in 0..<devicesEach {
            _ = try await service.registerDevice(
                DeviceID(trusted: "d\(number)-\(device)"), name: "", platform: "", for: caller)
        }
    }
}
