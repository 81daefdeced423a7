/// The type of a field, as the schema fixes it with the first value ever saved (spec section 8.1).
package enum FieldType: Int32, Sendable, CaseIterable, CustomStringConvertible {
    case string = 1
    case int64 = 2
    case double = 3
    case timestamp = 4
    case reference = 5
    case stringList = 17

    /// CloudKit's name of the type, as requests and answers carry it.
    package var description: String {
        switch self {
        case .string: "STRING"
        case .int64: "INT64"
        case .double: "DOUBLE"
        case .timestamp: "TIMESTAMP"
        case .reference: "REFERENCE"
        case .stringList: "STRING_LIST"
        }
    }

    /// Reads CloudKit's name of a type.
    package init?(name: String) {
        guard let type = Self.allCases.first(where: { $0.description == name }) else { return nil }
        self = type
    }

    /// The type of a list's elements; nil for what is no list.
    package var elementType: FieldType? { self == .stringList ? .string : nil }

    /// Whether a comparison can order values of this type.
    package var isOrdered: Bool {
        switch self {
        case .string, .int64, .double, .timestamp: true
        case .reference, .stringList: false
        }
    }
}
