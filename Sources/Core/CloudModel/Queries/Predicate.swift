/// The typed tree that matching and queries work on; filters and predicate strings are turned into it.
package indirect enum Predicate: Hashable, Sendable {
    /// Matches every record.
    case always
    /// All of them hold; holds when there are none.
    case all([Predicate])
    /// One of them holds; does not hold when there are none.
    case any([Predicate])
    /// The predicate does not hold.
    case not(Predicate)
    /// A field compared with a value.
    case comparison(Comparison)

    /// Matches no record.
    package static let never = Predicate.any([])

    /// One comparison. On a field that the record lacks, or whose value is of another kind, it is false
    /// (docs/choices.md, 22).
    package struct Comparison: Hashable, Sendable {
        /// The field of the record that is compared.
        package var field: FilterField
        /// The relation that has to hold for its value.
        package var relation: Relation

        package init(field: FilterField, relation: Relation) {
            self.field = field
            self.relation = relation
        }
    }

    /// The relations that are not the negation of another.
    package enum Relation: Hashable, Sendable {
        /// The record has the field.
        case exists
        case equals(FieldValue, StringOptions)
        case lessThan(FieldValue)
        case lessThanOrEquals(FieldValue)
        case greaterThan(FieldValue)
        case greaterThanOrEquals(FieldValue)
        case isIn([FieldValue], StringOptions)
        case beginsWith(String, StringOptions)
        case endsWith(String, StringOptions)
        case containsText(String, StringOptions)
        /// `?` stands for one character, `*` for any number of them.
        case like(TextPattern, StringOptions)
        case listContains(FieldValue, StringOptions)
        case listContainsAny([FieldValue], StringOptions)
        case listContainsAll([FieldValue], StringOptions)
        case listMemberBeginsWith(String, StringOptions)
        /// Not farther from the place than so many metres; strictly nearer unless `isInclusive`.
        case near(Location, metres: Double, isInclusive: Bool)
        /// The field's text, or all searchable texts together, contain every word of these strings. Stop words do not
        /// count; a search without any other word finds nothing.
        case containsAllTokens([String])
        /// The field's text, or one of all searchable texts, has a word of these strings.
        case containsAnyTokens([String])
    }

    /// The differences that a comparison of strings ignores.
    package struct StringOptions: OptionSet, Hashable, Sendable {
        package let rawValue: UInt32

        package init(rawValue: UInt32) { self.rawValue = rawValue }

        /// `[c]`: Unicode full case folding without locale.
        package static let caseInsensitive = StringOptions(rawValue: 1)
        /// `[d]`: marks on letters.
        package static let diacriticInsensitive = StringOptions(rawValue: 2)
    }
}
