/// A value as a request gives it: with its type spelt out, or with one inferred from its JSON form, which gives way to
/// what the schema knows.
package struct GivenValue: Hashable, Sendable {
    /// The value, in the given or inferred type.
    package var value: FieldValue
    /// Whether the request named the type.
    package var isTypeExplicit: Bool

    package init(_ value: FieldValue, isTypeExplicit: Bool) {
        self.value = value
        self.isTypeExplicit = isTypeExplicit
    }

    /// The value as one of `type`; nil when it is none. An inferred integer also stands for a double or a timestamp.
    package func converted(to type: FieldType) -> FieldValue? {
        if value.type == type { return value }
        guard !isTypeExplicit, case .int64(let number) = value else { return nil }
        switch type {
        case .double: return .double(Double(number))
        case .timestamp: return .timestamp(Timestamp(milliseconds: number))
        default: return nil
        }
    }
}
