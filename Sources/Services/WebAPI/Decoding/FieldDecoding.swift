import CloudModel
import JSON

/// Reads CloudKit's field dictionaries (spec section 5.3).
enum FieldDecoding {
    /// A field of a record: `{"value": …, "type": …}`; nil when the value is null, which removes the field.
    static func field(_ json: JSONPath) throws(CloudError) -> GivenValue? {
        _ = try json.object()
        let type = try explicitType(json)
        guard let value = json["value"] else {
            guard json.value["value"] != nil else { throw .badRequest("\(json.path) needs 'value'") }
            return nil
        }
        return try given(value, type, isFilter: false)
    }

    /// A value with the type that was spelt out for it, or one inferred from its form.
    static func given(_ value: JSONPath, _ type: FieldType?, isFilter: Bool) throws(CloudError) -> GivenValue {
        if let type {
            return GivenValue(try read(value, as: type, isFilter: isFilter), isTypeExplicit: true)
        }
        return GivenValue(try read(value, as: try inferredType(value), isFilter: isFilter), isTypeExplicit: false)
    }

    /// The type that a field dictionary spells out; nil when it does not.
    static func explicitType(_ json: JSONPath) throws(CloudError) -> FieldType? {
        guard let name = json["type"] else { return nil }
        guard let type = FieldType(name: try name.string()) else {
            let known = FieldType.allCases.map(\.description).joined(separator: ", ")
            throw .badRequest("\(name.path) is '\(try name.string())'; known types are \(known)")
        }
        return type
    }

    /// Reads a value as one of a type.
    static func read(_ json: JSONPath, as type: FieldType, isFilter: Bool) throws(CloudError) -> FieldValue {
        switch type {
        case .string: return .string(try json.string())
        case .int64:
            guard let number = json.value.integer else { throw wrong(json, type, "an integer") }
            return .int64(number)
        case .double:
            guard let number = json.value.number else { throw wrong(json, type, "a number") }
            return .double(number)
        case .timestamp:
            guard let number = json.value.integer else { throw wrong(json, type, "whole milliseconds since 1970") }
            return .timestamp(Timestamp(milliseconds: number))
        case .reference: return .reference(try reference(json, isFilter: isFilter))
        case .stringList:
            var elements: [String] = []
            for element in try json.elements() { elements.append(try element.string()) }
            return .stringList(elements)
        }
    }

    private static func inferredType(_ json: JSONPath) throws(CloudError) -> FieldType {
        switch json.value {
        case .string: return .string
        case .integer: return .int64
        case .double: return .double
        case .object where json["recordName"] != nil: return .reference
        case .array(let elements) where elements.allSatisfy({ $0.string != nil }): return .stringList
        case .bool: throw .badRequest("\(json.path) is a boolean; CloudKit has none: send 0 or 1 as INT64")
        default: throw .badRequest("\(json.path): the type cannot be told from \(json.value.kind); give it as 'type'")
        }
    }

    private static func reference(_ json: JSONPath, isFilter: Bool) throws(CloudError) -> Reference {
        let name: RecordName = try json.object().required("recordName").identifier()
        let zone: ZoneID? =
            try json["zoneID"].map { zone throws(CloudError) in try ZoneDecoding.reference(zone) } ?? nil
        guard let action = json["action"] else {
            guard isFilter else { throw .badRequest("\(json.path) needs 'action': NONE or VALIDATE") }
            return Reference(recordName: name, zone: zone, action: .none)
        }
        guard let known = Reference.Action(name: try action.string()) else {
            throw .badRequest("\(action.path) must be NONE or VALIDATE")
        }
        guard known != .deleteSelf else {
            throw .badRequest("\(action.path): DELETE_SELF is not supported by this version; use NONE or VALIDATE")
        }
        return Reference(recordName: name, zone: zone, action: known)
    }

    private static func wrong(_ json: JSONPath, _ type: FieldType, _ expected: String) -> CloudError {
        .badRequest("\(json.path) must be \(type), \(expected), not \(json.value.kind)")
    }
}
