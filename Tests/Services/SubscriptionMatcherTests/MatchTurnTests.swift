import CloudMessages
import CloudModel
import MemoryLog
import TestSupport
import Testing

@testable import SubscriptionMatcher

/// The changes that a thread matches in one turn.
@Suite struct MatchTurnTests {
    private static func change(_ sequence: Int64, by user: Character, bytes: Int) -> Change {
        var fields = RecordFields()
        fields[FieldName(trusted: "title")] = .string(String(repeating: "x", count: bytes))
        let origin = Origin(user: UserRecordName.sample(user), device: nil, epoch: nil)
        let stamp = RecordStamp(timestamp: Timestamp(milliseconds: 1), user: origin.user, device: nil)
        let record = Record(
            type: RecordType(trusted: "T"), name: RecordName(trusted: "r"), zone: .publicDefault, changeTag: "1",
            created: stamp, modified: stamp, fields: fields)
        return Change(
            sequence: CommitSequence(sequence), lastSubscription: .zero, database: .public, kind: .created,
            before: nil, after: record, committed: Timestamp(milliseconds: 1), origin: origin)
    }

    @Test("a turn has many small changes, and few large ones")
    func turns() {
        let small = (1...64).map { Self.change($0, by: $0 == 1 ? "a" : "b", bytes: 100) }
        #expect(MatchTurn(small).count == 64)
        #expect(MatchTurn(small).account == small[0].origin.user.rawValue)
        let large = (1...8).map { Self.change($0, by: "a", bytes: 100_000) }
        #expect(MatchTurn(large).count == 3)
        #expect(MatchTurn(large).cost > 300_000)
        #expect(MatchTurn([Self.change(1, by: "a", bytes: 900_000)] + small).count == 1)
    }

    @Test("a follower matches a turn at once, and the rest when it is asked again")
    func follower() async {
        let layout = TopicLayout(
            ContainerEnvironment(container: ContainerIdentifier(trusted: "iCloud.test"), environment: .development))
        let follower = SubscriptionFollower(log: MemoryLog(), layout: layout)
        let changes = (1...4).map { (change: Self.change($0, by: "a", bytes: 900_000), offset: $0) }
        #expect(await follower.hits(of: changes, nil).count == 1)
    }
}
