extension Appearance<FieldName> {
    /// Returns what a notification of a record shows: names of fields replaced by their values. A field that the record
    /// lacks, or whose values are no texts, gives an empty text, so that the others keep their places.
    ///
    /// Part of the message version: a replay has to write the same again.
    package func resolved(with fields: RecordFields) -> Appearance<String> {
        var appearance = map { (fields[$0]?.alertText ?? "").cut(to: Limits.alertCharactersMax) }
        // A literal unless it names a field of the record (design section 12, choice 20).
        if let named = collapseID.flatMap({ fields[FieldName(trusted: $0)]?.alertText }) {
            appearance.collapseID = named.cut(to: Limits.alertCharactersMax)
        }
        return appearance
    }

    /// The fields that its texts name.
    package var argumentFields: [FieldName] {
        alert.localizationArgs + title.localizationArgs + subtitle.localizationArgs
    }
}

extension FieldValue {
    /// A string, number or date as alerts show it: numbers in decimal, dates in ISO 8601; nil for everything else.
    fileprivate var alertText: String? {
        switch self {
        case .string(let text): text
        case .int64(let number): "\(number)"
        case .double(let number): "\(number)"
        case .timestamp(let time): time.iso8601
        default: nil
        }
    }
}

extension FieldType {
    /// Indicates whether alerts can show values of the type (spec section 1.3).
    package var isAlertArgument: Bool { isOrdered }

    /// Indicates whether notifications carry values of the type (spec section 1.3).
    package var isCarried: Bool { isOrdered || self == .location || self == .reference }
}

extension String {
    /// The text, or where it is longer its beginning: at most so many Unicode scalars, and no character in half unless the
    /// first one alone is longer.
    package func cut(to scalarsMax: Int) -> String {
        guard utf8.count > scalarsMax,
            let limit = unicodeScalars.index(
                startIndex, offsetBy: scalarsMax, limitedBy: endIndex), limit < endIndex
        else { return self }
        // One scalar more says whether a character ends at the limit; what follows may be one endless character.
        let head = String(unicodeScalars[...limit])
        var whole = head.startIndex
        let end = head.unicodeScalars.index(before: head.endIndex)
        while whole < end {
            let next = head.index(after: whole)
            guard next <= end else { break }
            whole = next
        }
        return whole > head.startIndex ? String(head[..<whole]) : String(head.unicodeScalars[..<end])
    }
}
