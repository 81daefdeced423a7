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
    /// Bytes of a value above which it is cut and marked; nil leaves long fields out.
    let valueBytesMax: Int?

    init(hidesValues: Bool, valueBytesMax: Int? = nil) {
        self.hidesValues = hidesValues
        self.valueBytesMax = valueBytesMax
    }

    func row(_ row: ChangePage.Row) -> JSONValue {
        var json: JSONObject = [
            "partition": .integer(Int64(row.partition)), "offset": .integer(row.entry.offset),
            "time": .integer(Timestamp(row.entry.appended).milliseconds),
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
        var leftOut = JSONObject()
        for (name, record) in [("before", change.before), ("after", change.after)] {
            guard let record else { continue }
            let (kept, others) = self.record(record)
            json[name] = kept
            if !others.isEmpty { leftOut[name] = .object(others) }
        }
        if !leftOut.isEmpty { json["leftOut"] = .object(leftOut) }
        return .object(json)
    }

    /// A record without its long fields, or without all of them, and the types and sizes of those.
    private func record(_ record: Record) -> (kept: JSONValue, leftOut: JSONObject) {
        var writer = JSONWriter(capacityBytes: 1024)
        let record = hidesValues ? record : valueBytesMax.map { Self.cut(record, to: $0) } ?? record
        RecordJSON(FieldJSON(numbersAsStrings: true)).write(record, to: &writer)
        guard let json = try? JSONValue(parsing: writer.takeBytes()), var members = json.object else {
            return (.null, [:])
        }
        var (fields, leftOut) = (JSONObject(), JSONObject())
        for (name, field) in members["fields"]?.object ?? [:] {
            let bytes = (try? field.serialized().count) ?? 0
            guard hidesValues || valueBytesMax == nil && bytes > Self.fieldBytesMax else {
                fields[name] = field
                continue
            }
            var size: JSONObject = ["bytes": .integer(Int64(bytes))]
            if let type = field["type"] { size["type"] = type }
            leftOut[name] = .object(size)
        }
        members["fields"] = .object(fields)
        return (.object(members), leftOut)
    }

    /// The record with its long values cut and marked; sealed ones stay as they are, as their beginning opens nothing.
    private static func cut(_ record: Record, to bytesMax: Int) -> Record {
        var record = record
        var entries = record.fields.entries
        for place in entries.indices {
            if case .encrypted = entries[place].value { continue }
            guard let cut = entries[place].value.cut(to: bytesMax) else { continue }
            entries[place].value = cut.value
            record.cuts[entries[place].name] = cut.mark
        }
        if !record.cuts.isEmpty { record.fields = RecordFields(sorted: entries) }
        return record
    }

    private static func name(_ kind: Change.Kind) -> String {
        switch kind {
        case .created: "create"
        case .updated: "update"
        case .deleted: "delete"
        }
    }
}
