/// A value of one of SQLite's storage classes.
package enum SQLiteValue: Sendable, Equatable {
    case null
    case integer(Int64)
    case real(Double)
    case text(String)
    case blob([UInt8])

    /// An integer, or NULL for nil.
    package static func optional(_ value: Int64?) -> SQLiteValue { value.map { .integer($0) } ?? .null }
    /// A text, or NULL for nil.
    package static func optional(_ value: String?) -> SQLiteValue { value.map { .text($0) } ?? .null }
    /// Bytes, or NULL for nil.
    package static func optional(_ value: [UInt8]?) -> SQLiteValue { value.map { .blob($0) } ?? .null }
}

extension SQLiteValue: ExpressibleByIntegerLiteral, ExpressibleByStringLiteral {
    package init(integerLiteral value: Int64) { self = .integer(value) }
    package init(stringLiteral value: String) { self = .text(value) }
}
