import CloudModel

/// Writes a typed tree as a predicate string, by itself: what the parser reads of it must be the tree. Places and all
/// values that have no literal form become arguments.
struct PredicatePrinter {
    private(set) var arguments: [GivenPredicate.Argument] = []

    /// The string of a tree that a parser could have made.
    mutating func text(_ predicate: Predicate) -> String {
        switch predicate {
        case .always: "TRUEPREDICATE"
        case .any([]): "FALSEPREDICATE"
        case .all(let parts): joined(parts, " AND ")
        case .any(let parts): joined(parts, " OR ")
        case .not(let part): "NOT (\(text(part)))"
        case .comparison(let comparison): text(comparison)
        }
    }

    private mutating func joined(_ parts: [Predicate], _ word: String) -> String {
        parts.map { "(\(text($0)))" }.joined(separator: word)
    }

    private mutating func text(_ comparison: Predicate.Comparison) -> String {
        let field = comparison.field.description
        return switch comparison.relation {
        case .exists: "\(field) != nil"
        case .equals(let value, let options): "\(field) ==\(letters(options, .caseInsensitive)) \(text(value))"
        case .lessThan(let value): "\(field) < \(text(value))"
        case .lessThanOrEquals(let value): "\(field) <= \(text(value))"
        case .greaterThan(let value): "\(field) > \(text(value))"
        case .greaterThanOrEquals(let value): "\(field) >= \(text(value))"
        case .isIn(let values, let options): "\(field) IN\(letters(options, .caseInsensitive)) \(list(values))"
        case .beginsWith(let prefix, let options): "\(field) BEGINSWITH\(letters(options)) \(text(.string(prefix)))"
        case .endsWith(let suffix, let options): "\(field) ENDSWITH\(letters(options)) \(text(.string(suffix)))"
        case .containsText(let part, let options): "\(field) CONTAINS\(letters(options)) \(text(.string(part)))"
        case .like(let pattern, let options): "\(field) LIKE\(letters(options)) \(text(.string(pattern.text)))"
        case .listContains(let value, let options):
            "ANY \(field) ==\(letters(options, .caseInsensitive)) \(text(value))"
        case .listContainsAny(let values, let options):
            "ANY \(list(values)) IN\(letters(options, .caseInsensitive)) \(field)"
        case .listContainsAll(let values, let options):
            "ALL \(list(values)) IN\(letters(options, .caseInsensitive)) \(field)"
        case .listMemberBeginsWith(let prefix, let options):
            "ANY \(field) BEGINSWITH\(letters(options)) \(text(.string(prefix)))"
        case .near(let place, let metres, let isInclusive):
            "distanceToLocation:fromLocation:(\(field), \(text(.location(place)))) \(isInclusive ? "<=" : "<") \(metres)"
        case .containsAllTokens(let texts): "ALL tokenize(\(text(.string(texts[0]))), 'Cdl') IN \(field)"
        case .containsAnyTokens(let texts): "ANY tokenize(\(text(.string(texts[0]))), 'Cdl') IN \(field)"
        }
    }

    private func letters(_ options: Predicate.StringOptions, _ implied: Predicate.StringOptions = []) -> String {
        let options = options.subtracting(implied)
        let letters =
            (options.contains(.caseInsensitive) ? "c" : "") + (options.contains(.diacriticInsensitive) ? "d" : "")
        return letters.isEmpty ? "" : "[\(letters)]"
    }

    private mutating func list(_ values: [FieldValue]) -> String {
        "{\(values.map { text($0) }.joined(separator: ", "))}"
    }

    private mutating func text(_ value: FieldValue) -> String {
        switch value {
        case .string(let text):
            return "'" + text.replacing("\\", with: "\\\\").replacing("'", with: "\\'").replacing("\n", with: "\\n")
                + "'"
        case .int64(let number): return "\(number)"
        case .double(let number) where number.isFinite: return "\(number)"
        default:
            arguments.append(.value(GivenValue(value, isTypeExplicit: true)))
            return "%@"
        }
    }
}
