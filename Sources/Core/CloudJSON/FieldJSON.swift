package import CloudModel
package import JSON
import TextForms

/// Values as CloudKit's field dictionaries (docs/cloudkit.md#dictionaries): writes them in one of several ways, reads
/// all.
package struct FieldJSON: Sendable {
    /// True to write numbers as strings, for readers whose numbers are doubles (`numbersAsStrings`).
    let areNumbersStrings: Bool
    /// True to write the receipts of assets, which clients send and are never sent.
    private let areReceiptsWritten: Bool
    /// The address to download an asset from; nil leaves it out.
    private let assetURL: (@Sendable (Asset) -> String)?

    /// Writes in this way.
    package init(
        numbersAsStrings areNumbersStrings: Bool = false, receipts areReceiptsWritten: Bool = false,
        assetURL: (@Sendable (Asset) -> String)? = nil
    ) {
        self.areNumbersStrings = areNumbersStrings
        self.areReceiptsWritten = areReceiptsWritten
        self.assetURL = assetURL
    }

    /// `{"value": …, "type": …}`.
    package func field(_ value: FieldValue) -> JSONValue {
        var json: JSONObject = ["value": self.value(value), "type": .string(Self.typeName(value))]
        if value.type.isEncrypted { json["isEncrypted"] = true }
        if let seconds = exactSeconds(value) { json["exactSeconds"] = seconds }
        return .object(json)
    }

    /// The times of an encrypted field in seconds since 2001; nil for other values.
    func exactSeconds(_ value: FieldValue) -> JSONValue? {
        guard case .encrypted(.exact(let plain, let seconds)) = value else { return nil }
        let numbers = seconds.map { areNumbersStrings ? JSONValue.string("\($0)") : .double($0) }
        return plain.type.elementType == nil ? numbers.first : .array(numbers)
    }

    /// A value as a request gives it: a type that is inferred is left out.
    package func given(_ given: GivenValue) -> JSONValue {
        guard !given.isTypeExplicit else { return field(given.value) }
        var json: JSONObject = ["value": value(given.value)]
        if given.value.type.isEncrypted { json["isEncrypted"] = true }
        return .object(json)
    }

    /// The name of a value's type. Of encrypted fields live CloudKit names bytes `ENCRYPTED_BYTES`, and the others by
    /// their plain type, so that clients without encryption read them.
    static func typeName(_ value: FieldValue) -> String {
        guard let plain = value.type.plainType, plain != .bytes else { return value.type.description }
        return plain.description
    }

    /// The value alone.
    package func value(_ value: FieldValue) -> JSONValue {
        switch value {
        case .string(let text): .string(text)
        case .int64(let number): integer(number)
        case .double(let number): areNumbersStrings ? .string("\(number)") : .double(number)
        case .timestamp(let time): integer(time.milliseconds)
        case .bytes(let bytes): .string(Base64.standard.encode(bytes))
        case .reference(let reference): ReferenceJSON.reference(reference)
        case .location(let location): Self.location(location)
        case .asset(let asset): self.asset(asset)
        case .list(let elements, _): .array(elements.map { self.value($0) })
        case .encrypted(.open(let value)), .encrypted(.exact(let value, seconds: _)): self.value(value)
        case .encrypted(.sealed): .null
        }
    }

    private func integer(_ number: Int64) -> JSONValue {
        areNumbersStrings ? .string("\(number)") : .integer(number)
    }

    private func asset(_ asset: Asset) -> JSONValue {
        var json: JSONObject = ["fileChecksum": .string(asset.fileChecksum), "size": .integer(asset.size)]
        if areReceiptsWritten, let receipt = asset.receipt { json["receipt"] = .string(receipt) }
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
}
