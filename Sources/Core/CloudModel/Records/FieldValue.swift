/// The value of one field.
///
/// Equality here is Swift's; how filters compare values is out of scope here, see `Matching`.
package enum FieldValue: Hashable, Sendable {
    case string(String)
    case int64(Int64)
    case double(Double)
    case timestamp(Timestamp)
    case reference(Reference)
    case bytes([UInt8])
    case location(Location)
    case asset(Asset)
    /// Values that are all of one type, which is no list itself.
    case list([FieldValue], of: FieldType)
    /// The value of an encrypted field.
    indirect case encrypted(EncryptedValue)

    /// A list of strings.
    package static func stringList(_ elements: [String]) -> FieldValue {
        .list(elements.map { .string($0) }, of: .string)
    }

    /// The type that this value fixes for its field.
    package var type: FieldType {
        switch self {
        case .string: .string
        case .int64: .int64
        case .double: .double
        case .timestamp: .timestamp
        case .reference: .reference
        case .bytes: .bytes
        case .location: .location
        case .asset: .asset
        case .list(_, let element): element.listType ?? .stringList
        case .encrypted(let value): value.type
        }
    }

    /// The references that the value is or holds.
    package var references: [Reference] {
        switch self {
        case .reference(let reference): [reference]
        case .list(let elements, of: .reference): elements.flatMap(\.references)
        default: []
        }
    }

    /// A reference turned into the name of its record, anything else as it is: CloudKit compares the system fields that
    /// name records and users with references.
    package var named: FieldValue {
        guard case .reference(let reference) = self else { return self }
        return .string(reference.recordName.rawValue)
    }

    /// The assets that the value is or holds.
    package var assets: [Asset] {
        switch self {
        case .asset(let asset): [asset]
        case .list(let elements, of: .asset): elements.flatMap(\.assets)
        default: []
        }
    }
}
