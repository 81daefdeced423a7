import TextForms

/// A value as a request gives it: with its type spelt out, or with one inferred from its JSON form, which gives way to
/// what the schema knows.
package struct GivenValue: Hashable, Sendable {
    /// The value, in the given or inferred type.
    package var value: FieldValue
    /// Indicates whether the request named the type.
    package var isTypeExplicit: Bool
    /// Indicates whether the value has the mark of one that an answer has cut: it is not to be saved.
    package var isCut = false

    package init(_ value: FieldValue, isTypeExplicit: Bool) {
        self.value = value
        self.isTypeExplicit = isTypeExplicit
    }

    /// The value as one of `type`; nil if it is not convertible. An inferred integer converts to a double or a
    /// timestamp, an inferred double to a timestamp, and to an integer if it is whole, an inferred string to bytes in
    /// base64, an inferred empty list to one of any type. An empty list of strings does so even with its type given:
    /// answers contain one that was saved before its field had a type, and clients send it back.
    ///
    /// A value of a field that the schema knows as encrypted is encrypted, whether the request says so or not.
    package func converted(to type: FieldType) -> FieldValue? {
        if value.type == type { return value }
        if let plain = type.plainType {
            var inner = self
            if case .encrypted(.open(let value)) = value { inner.value = value }
            return inner.converted(to: plain).map { .encrypted(.open($0)) }
        }
        return isTypeExplicit && value != .stringList([]) ? nil : Self.convert(value, to: type)
    }

    /// Indicates whether the value says nothing of what its field's lists are of: an empty list without a type.
    package var leavesTypeOpen: Bool {
        if isTypeExplicit { return false }
        switch value {
        case .list([], _), .encrypted(.open(.list([], _))): return true
        default: return false
        }
    }

    private static func convert(_ value: FieldValue, to type: FieldType) -> FieldValue? {
        if value.type == type { return value }
        switch (value, type) {
        case (.int64(let number), .double): return .double(Double(number))
        case (.int64(let number), .timestamp): return .timestamp(Timestamp(milliseconds: number))
        case (.double(let number), .int64): return Int64(exactly: number).map { .int64($0) }
        case (.double(let number), .timestamp): return Timestamp(cutting: number).map { .timestamp($0) }
        case (.string(let text), .bytes): return Base64.standard.decode(text).map { .bytes($0) }
        case (.list(let elements, _), _):
            guard let element = type.elementType else { return nil }
            var converted: [FieldValue] = []
            for value in elements {
                guard let value = convert(value, to: element) else { return nil }
                converted.append(value)
            }
            return .list(converted, of: element)
        default: return nil
        }
    }
}
