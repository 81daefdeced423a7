import CloudModel

/// A change of a record, with those who could read it before and can read it after because it is shared with them.
struct SharedChange {
    var kind: Change.Kind
    var before: RecordImage?
    var after: RecordImage?
    var readersBefore: Set<UserRecordName>
    var readersAfter: Set<UserRecordName>

    /// People, and the change as it is told to them.
    struct Audience {
        var kind: Change.Kind
        var before: RecordImage?
        var after: RecordImage?
        var people: Set<UserRecordName>
    }

    /// The changes as they are told: whoever could read the record before alone learns that it is gone, and whoever can read it
    /// now alone that it has come.
    var audiences: [Audience] {
        var audiences: [Audience]
        if before == nil || after == nil {
            audiences = [
                Audience(kind: kind, before: before, after: after, people: readersBefore.union(readersAfter))
            ]
        } else {
            audiences = [
                Audience(
                    kind: kind, before: before, after: after, people: readersBefore.intersection(readersAfter))
            ]
            // To those whom a change of a share takes in or leaves out, the zone comes and goes.
            if after?.record.shareDetails == nil {
                let left = Audience(
                    kind: .deleted, before: before, after: nil, people: readersBefore.subtracting(readersAfter))
                let came = Audience(
                    kind: .created, before: nil, after: after, people: readersAfter.subtracting(readersBefore))
                audiences = [left] + audiences + [came]
            }
        }
        return audiences.filter { !$0.people.isEmpty }
    }
}
