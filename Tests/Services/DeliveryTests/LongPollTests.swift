import CloudMessages
import CloudModel
import Cryptography
import Feeds
import MemoryLog
import RecordService
import TestSupport
import Testing

@Suite struct LongPollTests {
    /// The end of a wait and the arrival of notifications cross in every possible way: each comes exactly once.
    @Test(arguments: [0, 1, 2])
    func aWaitThatEndsJustThenLosesNothing(pauseMilliseconds: Int) async throws {
        try await within {
            let system = try await TestSystem(log: MemoryLog())
            let alice = try await system.user("alice")
            let phone = try await system.service.registerDevice(nil, name: "", platform: "", for: alice)
            let draft = SubscriptionDraft(
                id: nil, query: GivenQuery(recordType: RecordType(trusted: "T"), filters: []), zone: nil,
                firesOn: .create,
                firesOnce: false,
                notificationInfo: NotificationInfo())
            _ = try await system.service.modifySubscriptions([.create(draft)], in: .public, for: alice)
            let count = 300
            let writing = Task {
                for number in 0..<count {
                    let operation = RecordOperation(
                        kind: .create, recordName: RecordName(trusted: "r\(number)"),
                        recordType: RecordType(trusted: "T"))
                    _ = try await system.service.modifyRecords([operation], in: .public, for: alice)
                }
            }
            let service = FeedService(FeedSources(system.log, layout: system.layout), keys: .generate())
            _ = try await system.deviceInStep(phone.id, of: alice)
            var names: [String] = []
            var token: String?
            while names.count < count {
                let answer = try await service.changes(
                    in: service.identity(of: phone), after: token, limit: 3, waiting: .milliseconds(pauseMilliseconds))
                token = answer.token
                for notification in answer.notifications {
                    if case .query(let content) = notification.content { names.append(content.recordName.rawValue) }
                }
            }
            #expect(Set(names) == Set((0..<count).map { "r\($0)" }) && names.count == count)
            try await writing.value
            await system.stop()
        }
    }
}
