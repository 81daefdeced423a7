package import CloudModel
package import JSON

/// Records as CloudKit's record dictionaries: writes them in one of several ways, reads all.
package struct RecordJSON: Sendable {
    /// The fields that the reader wants; nil is all.
    package var desiredKeys: Set<FieldName>?
    /// The user who reads: a share says what part the reader has in it, a stamp the reader's own devices.
    package var viewer: UserRecordName?
    /// Names of owners and participants of shares.
    package var people: [UserRecordName: UserProfile] = [:]
    /// Stands for a device that is none of the reader's, and for none.
    private static let someDevice = "2"
    private let fields: FieldJSON

    /// Writes in this way.
    package init(_ fields: FieldJSON = FieldJSON(), desiredKeys: Set<FieldName>? = nil, viewer: UserRecordName? = nil) {
        self.fields = fields
        self.desiredKeys = desiredKeys
        self.viewer = viewer
    }

    /// Writes a record; it may be wanted with other fields than the rest.
    package func write(_ record: Record, desiredKeys item: Set<FieldName>? = nil, to writer: inout JSONWriter) {
        writer.beginObject()
        writer.member("recordName", record.name.rawValue)
        writer.member("recordType", record.type.rawValue)
        writer.member("recordChangeTag", record.changeTag)
        writer.key("fields")
        fields.write(record.fields, cuts: record.cuts, wanted: item ?? desiredKeys, to: &writer)
        writer.key("pluginFields")
        writer.beginObject()
        writer.endObject()
        writer.key("zoneID")
        ZoneJSON.write(record.zone, to: &writer)
        write(record.created, as: "created", to: &writer)
        write(record.modified, as: "modified", to: &writer)
        writer.member("deleted", false)
        if let parent = record.parent { Self.write(parent, as: "parent", to: &writer) }
        if let share = record.share { Self.write(share, as: "share", to: &writer) }
        if let share = record.shareDetails {
            for (key, value) in ShareJSON.members(of: share, record, viewer, people) { writer.ownMember(key, value) }
        }
        writer.endObject()
    }

    private static func write(_ name: RecordName, as key: String, to writer: inout JSONWriter) {
        writer.key(key)
        writer.beginObject()
        writer.member("recordName", name.rawValue)
        writer.endObject()
    }

    /// Writes a deleted record; the type and zone only in feeds that have them.
    package static func deleted(_ name: RecordName, type: RecordType? = nil, zone: ZoneID? = nil) -> JSONValue {
        var json: JSONObject = ["recordName": .string(name.rawValue)]
        if let type { json["recordType"] = .string(type.rawValue) }
        json["deleted"] = true
        if let zone { json["zoneID"] = ZoneJSON.id(zone) }
        return .object(json)
    }

    /// Reads a record that a service has written.
    package static func read(_ json: JSONPath) throws(CloudError) -> Record {
        var record = Record(
            type: try json.object().required("recordType").identifier(),
            name: try json.required("recordName").identifier(), zone: try ZoneJSON.readID(try json.required("zoneID")),
            changeTag: try json.required("recordChangeTag").string(), created: try stamp(try json.required("created")),
            modified: try stamp(try json.required("modified")),
            fields: try json.member("fields", FieldJSON.readFields) ?? RecordFields(),
            parent: try json.member("parent", ReferenceJSON.readName),
            share: try json.member("share", ReferenceJSON.readName))
        record.cuts = try json.member("fields", FieldJSON.readCuts) ?? [:]
        if json["shortGUID"] != nil { record.shareDetails = try ShareJSON.read(json) }
        return record
    }

    /// Reads an item of an answer: a record, a deleted record, or an error.
    package static func readResult(_ json: JSONPath) throws(CloudError) -> RecordResult {
        let name = try json.object()["recordName"].map { name throws(CloudError) in
            RecordName(trusted: try name.string())
        }
        if let error = ErrorJSON.read(json.value) { return .failed(name, error) }
        if let name, try json["deleted"]?.bool() == true { return .deleted(name) }
        return .record(try read(json))
    }

    /// Only the user who wrote from it sees the device: others see that there was one, as live CloudKit says of the web
    /// (docs/cloudkit.md#dictionaries).
    private func write(_ stamp: RecordStamp, as key: String, to writer: inout JSONWriter) {
        let device = stamp.user == viewer ? stamp.device?.rawValue : nil
        writer.key(key)
        writer.beginObject()
        writer.member("timestamp", stamp.timestamp.milliseconds)
        writer.member("userRecordName", stamp.user.rawValue)
        writer.member("deviceID", device ?? Self.someDevice)
        writer.endObject()
    }

    private static func stamp(_ json: JSONPath) throws(CloudError) -> RecordStamp {
        let device = try json.object().required("deviceID").string()
        return RecordStamp(
            timestamp: Timestamp(milliseconds: try json.required("timestamp").integer()),
            user: UserRecordName(trusted: try json.required("userRecordName").string()),
            device: device == someDevice ? nil : DeviceID(trusted: device))
    }
}
