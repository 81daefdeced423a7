import CloudModel

/// A change of a record, with those who could read it before and can read it after because it is shared with them.
struct SharedChange {
    var kind: Change.Kind
    var before: RecordImage?
    var after: RecordImage?
    var readersBefore: Set<UserRecordName>
    var readersAfter: Set<UserRecordName>

    /// Users, and the change that they get.
    struct Audience {
        var kind: Change.Kind
        var before: RecordImage?
        var after: RecordImage?
        var people: Set<UserRecordName>
    }

    /// The changes by audience: users who could only read the record before get its deletion, and users who can only
    /// read it now get its creation.
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
