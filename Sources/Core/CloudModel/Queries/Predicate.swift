/// The typed tree that matching works on; filters are turned into it, and predicate strings will be.
package indirect enum Predicate: Hashable, Sendable {
    /// Matches every record.
    case always
    /// All of them hold; holds when there are none.
    case all([Predicate])
    /// The predicate does not hold.
    case not(Predicate)
    /// A field compared with a value.
    case comparison(Comparison)

    /// One comparison. On a field that the record lacks it is false (design section 12, choice 22).
    package struct Comparison: Hashable, Sendable {
        /// The relations that are not the negation of another.
        package enum Relation: Hashable, Sendable {
            case equals(FieldValue)
            case lessThan(FieldValue)
            case lessThanOrEquals(FieldValue)
            case greaterThan(FieldValue)
            case greaterThanOrEquals(FieldValue)
            case isIn([FieldValue])
            case beginsWith(String)
            case listContains(FieldValue)
        }

        /// The field of the record that is compared.
        package var field: FilterField
        /// What has to hold for its value.
        package var relation: Relation

        package init(field: FilterField, relation: Relation) {
            self.field = field
            self.relation = relation
        }
    }
}
