package import CloudModel
import Cryptography
package import JSON

/// Writes values as CloudKit's field dictionaries (spec section 5.3).
package struct FieldJSON: Sendable {
    /// Whether numbers are written as strings, for readers whose numbers are doubles (`numbersAsStrings`).
    private let areNumbersStrings: Bool
    /// Where an asset can be downloaded; nil leaves the address out.
    private let assetURL: (@Sendable (Asset) -> String)?

    /// Writes in this way.
    package init(numbersAsStrings areNumbersStrings: Bool = false, assetURL: (@Sendable (Asset) -> String)? = nil) {
        self.areNumbersStrings = areNumbersStrings
        self.assetURL = assetURL
    }

    /// All fields of a record or notification, by name.
    package func fields(_ fields: RecordFields) -> JSONValue {
        var json: JSONObject = [:]
        for entry in fields.entries { json[entry.name.rawValue] = field(entry.value) }
        return .object(json)
    }

    /// `{"value": …, "type": …}`.
    package func field(_ value: FieldValue) -> JSONValue {
        ["value": self.value(value), "type": .string(value.type.description)]
    }

    /// The value alone.
    package func value(_ value: FieldValue) -> JSONValue {
        switch value {
        case .string(let text): .string(text)
        case .int64(let number): integer(number)
        case .double(let number): areNumbersStrings ? .string("\(number)") : .double(number)
        case .timestamp(let time): integer(time.milliseconds)
        case .bytes(let bytes): .string(Base64.standard.encode(bytes))
        case .reference(let reference): self.reference(reference)
        case .location(let location): Self.location(location)
        case .asset(let asset): self.asset(asset)
        case .list(let elements, _): .array(elements.map { self.value($0) })
        }
    }

    private func integer(_ number: Int64) -> JSONValue {
        areNumbersStrings ? .string("\(number)") : .integer(number)
    }

    private func reference(_ reference: Reference) -> JSONValue {
        var json: JSONObject = [
            "recordName": .string(reference.recordName.rawValue), "action": .string(reference.action.description),
        ]
        if let zone = reference.zone { json["zoneID"] = Self.zone(zone) }
        return .object(json)
    }

    private func asset(_ asset: Asset) -> JSONValue {
        var json: JSONObject = ["fileChecksum": .string(asset.fileChecksum), "size": .integer(asset.size)]
        if let assetURL { json["downloadURL"] = .string(assetURL(asset)) }
        return .object(json)
    }

    /// A place.
    package static func location(_ location: Location) -> JSONValue {
        var json: JSONObject = ["latitude": .double(location.latitude), "longitude": .double(location.longitude)]
        for (key, value) in [
            ("horizontalAccuracy", location.horizontalAccuracy), ("verticalAccuracy", location.verticalAccuracy),
            ("altitude", location.altitude), ("speed", location.speed), ("course", location.course),
        ] {
            if let value { json[key] = .double(value) }
        }
        if let timestamp = location.timestamp { json["timestamp"] = .integer(timestamp.milliseconds) }
        return .object(json)
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
