import CloudMessages
import CloudModel
import EventLog
import Testing

@testable import NotificationDelivery

/// The place of a user's journal among those of others.
extension UserStateTests {
    @Test("a journal is in the partition of its user, under the user's key")
    func placeOfJournals() throws {
        let layout = TopicLayout(History.layout.scope, partitions: 7)
        var places: Set<TopicPartition> = []
        for number in 0..<20 {
            let user = UserRecordName(trusted: "_\(number)")
            let source = SourcePosition(source: .store(7), offset: 1)
            var delivery = UserDelivery(user: user, layout: layout)
            let entry = DeliveryEntry(source: SourcePositionMessage(source), user: user.rawValue, event: Self.hits(1))
            let outputs = try delivery.apply(
                entry, at: SourcePosition(source: Self.source, offset: 1), logged: LogTimestamp(milliseconds: 1))
            let journal = try #require(outputs.journals.first)
            #expect(journal.partition == layout.journals(of: user) && journal.key == Array(user.rawValue.utf8))
            places.insert(journal.partition)
        }
        #expect(places.count > 1)
    }
}
