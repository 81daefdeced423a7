package import CloudModel

extension StampMessage {
    init(_ stamp: RecordStamp) {
        self.init(
            timestamp: stamp.timestamp.milliseconds, user: stamp.user.rawValue, device: stamp.device.map(\.rawValue))
    }

    var stamp: RecordStamp {
        RecordStamp(
            timestamp: Timestamp(milliseconds: timestamp), user: UserRecordName(trusted: user),
            device: device.map { DeviceID(trusted: $0) })
    }
}

extension RecordMessage {
    /// The record as it is stored and published.
    package init(_ record: Record) {
        precondition(record.cuts.isEmpty, "a record with cut values is neither stored nor published")
        self.init(
            type: record.type.rawValue, name: record.name.rawValue, zone: ZoneMessage(record.zone),
            changeTag: record.changeTag, created: StampMessage(record.created), modified: StampMessage(record.modified),
            fields: [FieldMessage](record.fields), parent: record.parent?.rawValue,
            share: record.share?.rawValue, shareDetails: record.shareDetails.map { ShareMessage($0) })
    }

    /// The record.
    package func record() throws(MalformedMessage) -> Record {
        Record(
            type: RecordType(trusted: type), name: RecordName(trusted: name),
            zone: try required(zone, "a record's zone").zoneID, changeTag: changeTag,
            created: try required(created, "a record's creation").stamp,
            modified: try required(modified, "a record's modification").stamp, fields: try fields.recordFields(),
            parent: parent.map { RecordName(trusted: $0) }, share: share.map { RecordName(trusted: $0) },
            shareDetails: try shareDetails?.share())
    }
}
