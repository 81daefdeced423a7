/// The type of a field, as the schema fixes it with the first value ever saved (docs/cloudkit.md#records).
package enum FieldType: Int32, Sendable, CaseIterable, CustomStringConvertible {
    case string = 1
    case int64 = 2
    case double = 3
    case timestamp = 4
    case reference = 5
    case bytes = 6
    case location = 7
    case asset = 8
    // Lists stand 16 above their elements.
    case stringList = 17
    case int64List = 18
    case doubleList = 19
    case timestampList = 20
    case referenceList = 21
    case bytesList = 22
    case locationList = 23
    case assetList = 24
    // Encrypted types are 64 above their plain types.
    case encryptedString = 65
    case encryptedInt64 = 66
    case encryptedDouble = 67
    case encryptedTimestamp = 68
    case encryptedBytes = 70
    case encryptedLocation = 71
    case encryptedStringList = 81
    case encryptedInt64List = 82
    case encryptedDoubleList = 83
    case encryptedTimestampList = 84
    case encryptedBytesList = 86
    case encryptedLocationList = 87

    private static let listOffset: Int32 = 16
    private static let encryptedOffset: Int32 = 64

    /// CloudKit's name of the type, as answers carry it: live CloudKit says `ASSETID` for assets.
    package var description: String {
        switch self {
        case .string: "STRING"
        case .int64: "INT64"
        case .double: "DOUBLE"
        case .timestamp: "TIMESTAMP"
        case .reference: "REFERENCE"
        case .bytes: "BYTES"
        case .location: "LOCATION"
        case .asset: "ASSETID"
        default: plainType.map { "ENCRYPTED_\($0)" } ?? "\(elementType ?? .string)_LIST"
        }
    }

    /// The names of assets in CloudKit's schema language and in its documents.
    private static let otherNames: [String: FieldType] = ["ASSET": .asset, "ASSET_LIST": .assetList]

    /// The names that a request may use, for messages.
    package static var knownNames: [String] { allCases.map(\.description) + otherNames.keys.sorted() }

    /// Reads CloudKit's name of a type, also the documented one of assets.
    package init?(name: String) {
        guard let type = Self.allCases.first(where: { $0.description == name }) ?? Self.otherNames[name] else {
            return nil
        }
        self = type
    }

    /// The type of a list's elements; nil for other types.
    package var elementType: FieldType? { FieldType(rawValue: rawValue - Self.listOffset) }

    /// The type of lists of this type; nil for lists, and for types that lists may not contain.
    package var listType: FieldType? {
        traits.isListable ? FieldType(rawValue: rawValue + Self.listOffset) : nil
    }

    /// The plain type of an encrypted field of this type; nil for other types.
    package var plainType: FieldType? { FieldType(rawValue: rawValue - Self.encryptedOffset) }

    /// The type of encrypted fields with values of this type; nil if it cannot be encrypted, and for encrypted types.
    package var encryptedType: FieldType? {
        traits.isEncryptable ? FieldType(rawValue: rawValue + Self.encryptedOffset) : nil
    }

    /// Indicates whether fields of the type are encrypted.
    package var isEncrypted: Bool { plainType != nil }
}
