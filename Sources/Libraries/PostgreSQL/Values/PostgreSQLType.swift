/// The type of a parameter: the server takes its bytes without conversion.
package enum PostgreSQLType: Sendable, Equatable {
    case bool, int2, int4, int8, float8, text, bytea, int8Array, textArray, byteaArray

    /// The number of the type in each PostgreSQL database.
    var identifier: UInt32 {
        switch self {
        case .bool: 16
        case .int2: 21
        case .int4: 23
        case .int8: 20
        case .float8: 701
        case .text: 25
        case .bytea: 17
        case .int8Array: 1016
        case .textArray: 1009
        case .byteaArray: 1001
        }
    }
}
