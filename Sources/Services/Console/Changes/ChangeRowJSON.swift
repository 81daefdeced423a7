import CloudJSON
import CloudMessages
import CloudModel
import EventLog
import JSON
import ProtocolBuffers

/// Writes entries of the topics of changes.
struct ChangeRowJSON: Sendable {
    /// Bytes of a field's JSON above which it is left out.
    static let fieldBytesMax = 4096

    /// Indicates whether values of fields are left out: an operator reads no private database in production.
    let hidesValues: Bool

    func row(_ row: ChangePage.Row) -> JSONValue {
        var json: JSONObject = [
            "partition": .integer(Int64(row.partition)), "offset": .integer(row.entry.offset),
            "time": .integer(Timestamp(row.entry.timestamp).milliseconds),
        ]
        guard let value = row.entry.value, let event = try? ChangeEvent(decoding: value) else {
            json["kind"] = "unreadable"
            return .object(json)
        }
        guard !event.boundary, let change = try? event.change() else {
            json["kind"] = event.boundary ? "boundary" : "unreadable"
            return .object(json)
        }
        json["kind"] = .string(Self.name(change.kind))
        json["sequence"] = .integer(change.sequence.rawValue)
        json["committed"] = .integer(change.committed.milliseconds)
        json["userRecordName"] = .string(change.origin.user.rawValue)
        if let device = change.origin.device { json["deviceID"] = .string(device.rawValue) }
        if let zone = change.affectedZone { json["zoneID"] = ZoneJSON.id(zone) }
        if let record = change.matched {
            json["recordName"] = .string(record.name.rawValue)
            json["recordType"] = .string(record.type.rawValue)
        }
        if let before = change.before { json["before"] = record(before) }
        if let after = change.after { json["after"] = record(after) }
        return .object(json)
    }

    /// A record whose long fields, or all values, are left out.
    private func record(_ record: Record) -> JSONValue {
        var writer = JSONWriter(capacityBytes: 1024)
        RecordJSON(FieldJSON(numbersAsStrings: true)).write(record, to: &writer)
        guard let json = try? JSONValue(parsing: writer.takeBytes()), var members = json.object else { return .null }
        var fields = JSONObject()
        for (name, field) in members["fields"]?.object ?? [:] {
            let bytes = (try? field.serialized().count) ?? 0
            guard hidesValues || bytes > Self.fieldBytesMax else {
                fields[name] = field
                continue
            }
            var cut: JSONObject = ["isLeftOut": true, "bytes": .integer(Int64(bytes))]
            if let type = field["type"] { cut["type"] = type }
            fields[name] = .object(cut)
        }
        members["fields"] = .object(fields)
        return .object(members)
    }

    private static func name(_ kind: Change.Kind) -> String {
        switch kind {
        case .created: "create"
        case .updated: "update"
        case .deleted: "delete"
        }
    }
}
