extension Appearance<FieldName> {
    /// Returns what a notification of a record shows: names of fields replaced by their values. A field that the record
    /// lacks, or whose values are no texts, gives an empty text, so that the others keep their places.
    ///
    /// Part of the message version: a replay has to write the same again.
    package func resolved(with texts: inout AlertTexts) -> Appearance<String> {
        var appearance = map { texts[$0] ?? "" }
        // A literal unless it names a field of the record (docs/choices.md, 20).
        if let named = collapseID.flatMap({ texts[FieldName(trusted: $0)] }) { appearance.collapseID = named }
        return appearance
    }

    /// The fields that its texts name.
    package var argumentFields: [FieldName] {
        alert.localizationArgs + title.localizationArgs + subtitle.localizationArgs
    }
}

/// The texts that alerts show of a record's fields, at most `Limits.alertCharactersMax` characters of each. A text is
/// made once, however many subscriptions name its field.
package struct AlertTexts {
    private let fields: RecordFields
    private var known: [FieldName: String?] = [:]

    package init(of fields: RecordFields) { self.fields = fields }

    /// The text of a field; nil if the record lacks it, or its value is no text.
    package subscript(name: FieldName) -> String? {
        mutating get {
            if let text = known[name] { return text }
            let text = fields[name]?.alertText?.cut(to: Limits.alertCharactersMax)
            known[name] = .some(text)
            return text
        }
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

extension String {
    /// The text, or the beginning of a longer one: at most this many Unicode scalars, and no partial character unless
    /// the first one alone is longer.
    package func cut(to scalarsMax: Int) -> String {
        guard utf8.count > scalarsMax,
            let limit = unicodeScalars.index(
                startIndex, offsetBy: scalarsMax, limitedBy: endIndex), limit < endIndex
        else { return self }
        // One scalar more shows whether a character ends at the limit; the rest may be one endless character.
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
