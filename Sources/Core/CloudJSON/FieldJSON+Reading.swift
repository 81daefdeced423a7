package import CloudModel
import JSON
import TextForms

extension FieldJSON {
    /// The fields of a record that a service has written, each with its type.
    package static func readFields(_ json: JSONPath) throws(CloudError) -> RecordFields {
        var fields = RecordFields()
        for (name, value) in try json.members() {
            if let given = try readField(value) { fields[FieldName(trusted: name)] = given.value }
        }
        return fields
    }

    /// The marks of the fields that a service has cut.
    package static func readCuts(_ json: JSONPath) throws(CloudError) -> [FieldName: ValueCut] {
        var cuts: [FieldName: ValueCut] = [:]
        for (name, value) in try json.members() {
            guard let cut = value["cut"] else { continue }
            cuts[FieldName(trusted: name)] = ValueCut(
                bytes: Int(try cut.required("bytes").integer()),
                elements: try cut["elements"].map { elements throws(CloudError) in Int(try elements.integer()) })
        }
        return cuts
    }

    /// A field of a record: `{"value": …, "type": …}`; nil when the value is null or absent, which removes the field.
    ///
    /// A field is to be encrypted by the type `ENCRYPTED_…` or by `isEncrypted`, as CloudKit's clients write either.
    package static func readField(_ json: JSONPath) throws(CloudError) -> GivenValue? {
        _ = try json.object()
        var encrypted: FieldType?
        if let name = json["type"] { encrypted = encryptedType(try name.string()) }
        let type = if let encrypted { encrypted.plainType } else { try explicitType(json) }
        guard let value = json["value"] else { return nil }
        var given = try readGiven(value, type, isFilter: false)
        given.isCut = json["cut"] != nil
        let isEncrypted = try json["isEncrypted"]?.bool() ?? false
        guard isEncrypted || encrypted != nil else { return given }
        guard given.value.type.encryptedType != nil else {
            throw .badRequest("\(json.path) is \(given.value.type): references and assets cannot be encrypted fields")
        }
        given.value = .encrypted(try exact(given.value, json["exactSeconds"]) ?? .open(given.value))
        return given
    }

    /// The value with its times in seconds since 2001; nil if there are none, or if they are of another value: a client
    /// may have changed the value alone.
    private static func exact(_ value: FieldValue, _ json: JSONPath?) throws(CloudError) -> EncryptedValue? {
        guard let json else { return nil }
        var seconds: [Double] = []
        for item in json.value.array == nil ? [json] : try json.elements() {
            seconds.append(try double(item, .double))
        }
        return EncryptedValue(value, seconds: seconds)
    }

    private static func encryptedType(_ name: String) -> FieldType? {
        FieldType(name: name).flatMap { $0.isEncrypted ? $0 : nil }
    }

    /// Names that say of a list that it is one, and nothing of its elements.
    package static let namesOfAnyList: Set<String> = ["LIST", "EMPTY_LIST", "UNKNOWN_LIST"]

    /// A value with the type that was spelt out for it, or one inferred from its form.
    package static func readGiven(_ value: JSONPath, _ type: FieldType?, isFilter: Bool) throws(CloudError)
        -> GivenValue
    {
        if let type {
            return GivenValue(try read(value, as: type, isFilter: isFilter), isTypeExplicit: true)
        }
        return GivenValue(try read(value, as: try inferredType(value), isFilter: isFilter), isTypeExplicit: false)
    }

    /// The type that a field dictionary spells out; nil when it does not, or says no more than that it is a list.
    package static func explicitType(_ json: JSONPath) throws(CloudError) -> FieldType? {
        guard let name = json["type"] else { return nil }
        if namesOfAnyList.contains(try name.string()) {
            if let value = json["value"] { _ = try value.elements() }
            return nil
        }
        guard let type = FieldType(name: try name.string()) else {
            let known = (FieldType.knownNames + namesOfAnyList.sorted()).joined(separator: ", ")
            throw .badRequest("\(name.path) is '\(try name.string())'; known types are \(known)")
        }
        guard !type.isEncrypted else {
            throw .badRequest("\(name.path) is \(type): nothing is compared with an encrypted field")
        }
        return type
    }

    /// The type that the value of a comparison spells out; nil as in `explicitType`.
    /// - Throws: `BAD_REQUEST` for a value that is called encrypted, whatever the field is.
    static func comparedType(_ json: JSONPath) throws(CloudError) -> FieldType? {
        guard try json["isEncrypted"]?.bool() != true else {
            throw .badRequest("\(json.path) has isEncrypted: nothing is compared with an encrypted field")
        }
        return try explicitType(json)
    }

    /// Reads a value as one of a type.
    package static func read(_ json: JSONPath, as type: FieldType, isFilter: Bool) throws(CloudError) -> FieldValue {
        switch type {
        case .string: return .string(try json.string())
        case .int64: return .int64(try integer(json, type, "an integer"))
        case .double: return .double(try double(json, type))
        case .timestamp:
            return .timestamp(try timestamp(json))
        case .reference: return .reference(try ReferenceJSON.read(json, isFilter: isFilter))
        case .bytes:
            guard let text = json.value.string, let bytes = Base64.standard.decode(text) else {
                throw wrong(json, type, "base64")
            }
            return .bytes(bytes)
        case .location: return .location(try readLocation(json))
        case .asset: return .asset(try readAsset(json))
        default:
            let element = type.elementType ?? .string
            guard json.value.array != nil else { throw wrong(json, type, "an array") }
            let elements = try json.elements { item throws(CloudError) in
                try read(item, as: element, isFilter: isFilter)
            }
            return .list(elements, of: element)
        }
    }

    private static func inferredType(_ json: JSONPath) throws(CloudError) -> FieldType {
        switch json.value {
        case .string: return .string
        case .integer: return .int64
        case .double: return .double
        case .object where json["recordName"] != nil: return .reference
        case .object where json["latitude"] != nil: return .location
        case .object where json["fileChecksum"] != nil: return .asset
        case .array:
            let elements = try json.elements()
            guard let first = elements.first else { return .stringList }
            var type = try inferredType(first)
            // Some numbers of a list may be whole.
            for element in elements.dropFirst() {
                let next = try inferredType(element)
                if type == .int64, next == .double { type = .double }
                guard next == type || (type == .double && next == .int64) else {
                    throw .badRequest(
                        "\(element.path) is \(next), but the list began with \(type); a list has one type")
                }
            }
            guard let list = type.listType else { throw .badRequest("\(json.path): lists of lists are not possible") }
            return list
        case .bool: throw .badRequest("\(json.path) is a boolean; CloudKit has none: send 0 or 1 as INT64")
        default:
            throw .badRequest("\(json.path): the type cannot be inferred from \(json.value.kind); give it as 'type'")
        }
    }

    private static func integer(_ json: JSONPath, _ type: FieldType, _ expected: String) throws(CloudError) -> Int64 {
        if let number = json.value.wholeNumber { return number }
        guard json.areNumbersStrings, let text = json.value.string, let number = Int64(text) else {
            throw wrong(json, type, expected)
        }
        return number
    }

    /// A time, which many clients give with a fraction of a millisecond: it is cut off.
    private static func timestamp(_ json: JSONPath) throws(CloudError) -> Timestamp {
        if json.value.integer == nil, let time = json.value.number.flatMap({ Timestamp(cutting: $0) }) {
            return time
        }
        return Timestamp(milliseconds: try integer(json, .timestamp, "milliseconds since 1970"))
    }

    private static func double(_ json: JSONPath, _ type: FieldType) throws(CloudError) -> Double {
        if let number = json.value.number { return number }
        guard json.areNumbersStrings, let text = json.value.string, let number = Double(text), number.isFinite else {
            throw wrong(json, type, "a number")
        }
        return number
    }

    /// A place, with coordinates that are on Earth.
    package static func readLocation(_ json: JSONPath) throws(CloudError) -> Location {
        guard json.value.object != nil else { throw wrong(json, .location, "an object with latitude and longitude") }
        func optional(_ key: String) throws(CloudError) -> Double? {
            guard let member = json[key] else { return nil }
            return try double(member, .double)
        }
        let location = Location(
            latitude: try double(try json.required("latitude"), .double),
            longitude: try double(try json.required("longitude"), .double),
            horizontalAccuracy: try optional("horizontalAccuracy"), verticalAccuracy: try optional("verticalAccuracy"),
            altitude: try optional("altitude"), speed: try optional("speed"), course: try optional("course"),
            timestamp: try json.member("timestamp", timestamp))
        guard location.isValid else {
            throw .badRequest("\(json.path): latitude is -90 to 90 and longitude -180 to 180 degrees")
        }
        return location
    }

    private static func readAsset(_ json: JSONPath) throws(CloudError) -> Asset {
        guard json.value.object != nil else { throw wrong(json, .asset, "what the upload answered as singleFile") }
        return Asset(
            fileChecksum: try json.required("fileChecksum").string(), size: try json.required("size").integer(),
            receipt: try json["receipt"]?.string())
    }

    private static func wrong(_ json: JSONPath, _ type: FieldType, _ expected: String) -> CloudError {
        .badRequest("\(json.path) must be \(type), \(expected), not \(json.value.kind)")
    }
}
