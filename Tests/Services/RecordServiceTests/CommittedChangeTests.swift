import CloudMessages
import CloudModel
import ProtocolBuffers
import TestSupport
import Testing

@testable import RecordService

@Suite struct CommittedChangeTests {
    /// Records go into a change as they are stored: the bytes are those of a change that is encoded as a whole.
    @Test(arguments: [(true, false), (false, true), (true, true), (false, false)])
    func aChangeIsMadeOfStoredBytes(hasBefore: Bool, hasAfter: Bool) throws {
        let zone = ZoneID(name: ZoneName(trusted: "z"), owner: UserRecordName(trusted: "_o"))
        func image(_ text: String) -> RecordImage {
            let stamp = RecordStamp(timestamp: Timestamp(milliseconds: 5), user: zone.owner, device: nil)
            var fields = RecordFields()
            fields[FieldName(trusted: "f")] = .string(text)
            return RecordImage(
                Record(
                    type: RecordType(trusted: "T"), name: RecordName(trusted: "r"), zone: zone, changeTag: "1",
                    created: stamp, modified: stamp, fields: fields))
        }
        let (before, after) = (
            hasBefore ? image("old") : nil, hasAfter ? image(String(repeating: "new", count: 90)) : nil
        )
        let isZone = !hasBefore && !hasAfter
        let change = CommittedChange(
            kind: .updated, database: .shared,
            origin: Origin(user: zone.owner, device: DeviceID(trusted: "d"), epoch: DeviceEpoch(3)), before: before,
            after: after, zone: isZone ? zone : nil, participants: [UserRecordName(trusted: "_p")], reader: .icloud)
        let time = Timestamp(milliseconds: 9)
        let whole = Change(
            sequence: CommitSequence(7), lastSubscription: .zero, database: .shared, kind: .updated,
            before: before?.record, after: after?.record, committed: time, origin: change.origin, zone: change.zone,
            participants: change.participants, reader: .icloud)
        let bytes = change.encoded(sequence: whole.sequence, at: time, store: 11)
        #expect(bytes == ChangeEvent(whole, store: 11).encoded())
        #expect(try ChangeEvent(decoding: bytes).change() == whole)
    }
}
