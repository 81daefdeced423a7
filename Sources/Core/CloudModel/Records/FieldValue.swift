/// The value of one field.
///
/// Equality here is Swift's; how filters compare values is `Matching`'s affair.
package enum FieldValue: Hashable, Sendable {
    case string(String)
    case int64(Int64)
    case double(Double)
    case timestamp(Timestamp)
    case reference(Reference)
    case stringList([String])

    /// The type that this value fixes for its field.
    package var type: FieldType {
        switch self {
        case .string: .string
        case .int64: .int64
        case .double: .double
        case .timestamp: .timestamp
        case .reference: .reference
        case .stringList: .stringList
        }
    }
}
