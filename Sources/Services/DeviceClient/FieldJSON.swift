package import CloudModel
package import JSON

/// Writes values as CloudKit's field dictionaries (spec section 5.3).
package enum FieldJSON {
    /// All fields of a record or notification, by name.
    package static func fields(_ fields: RecordFields) -> JSONValue {
        var json: JSONObject = [:]
        for entry in fields.entries { json[entry.name.rawValue] = field(entry.value) }
        return .object(json)
    }

    /// `{"value": …, "type": …}`.
    package static func field(_ value: FieldValue) -> JSONValue {
        ["value": self.value(value), "type": .string(value.type.description)]
    }

    /// The value alone.
    package static func value(_ value: FieldValue) -> JSONValue {
        switch value {
        case .string(let text): return .string(text)
        case .int64(let number): return .integer(number)
        case .double(let number): return .double(number)
        case .timestamp(let time): return .integer(time.milliseconds)
        case .stringList(let elements): return .array(elements.map { .string($0) })
        case .reference(let reference):
            var json: JSONObject = [
                "recordName": .string(reference.recordName.rawValue), "action": .string(reference.action.description),
            ]
            if let zone = reference.zone { json["zoneID"] = self.zone(zone) }
            return .object(json)
        }
    }

    /// A zone's ID.
    package static func zone(_ zone: ZoneID) -> JSONValue {
        var json: JSONObject = [
            "zoneName": .string(zone.name.rawValue), "ownerRecordName": .string(zone.owner.rawValue),
        ]
        json["zoneType"] = zone.name == .defaultZone ? "DEFAULT_ZONE" : "REGULAR_CUSTOM_ZONE"
        return .object(json)
    }
}
