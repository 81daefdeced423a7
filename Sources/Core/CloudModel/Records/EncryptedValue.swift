/// The value of an encrypted field: open in requests and answers, sealed wherever it is stored or published.
package enum EncryptedValue: Hashable, Sendable {
    /// A plain value, as it goes into the field or comes out of it. It is never stored.
    case open(FieldValue)
    /// Bytes that only the service's keys open, in the place of a value of a type.
    case sealed([UInt8], as: FieldType)

    /// The type of the field.
    package var type: FieldType { plainType.encryptedType ?? .encryptedBytes }

    /// The type of the plain value.
    package var plainType: FieldType {
        switch self {
        case .open(let value): value.type
        case .sealed(_, let type): type
        }
    }
}
