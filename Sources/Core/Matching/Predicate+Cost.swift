package import CloudModel

extension Predicate {
    /// The approximate work of evaluating the predicate on a record, in comparisons of a number. Counted from the
    /// predicate alone, so that it is the same for every user and never changes; `docs/predicates.md` has the table.
    package var cost: Int {
        switch self {
        case .always: 0
        case .all(let parts), .any(let parts): parts.reduce(0) { $0 + $1.cost }
        case .not(let part): part.cost
        case .comparison(let comparison): comparison.relation.cost * (comparison.field == .searchableTexts ? 4 : 1)
        }
    }
}

extension Predicate.Relation {
    fileprivate var cost: Int {
        switch self {
        case .exists, .equals, .lessThan, .lessThanOrEquals, .greaterThan, .greaterThanOrEquals: 1
        case .beginsWith, .endsWith, .listContains: 2
        case .near: 600
        case .containsText: 8
        case .listMemberBeginsWith: 1500
        case .isIn(let values, _), .listContainsAny(let values, _), .listContainsAll(let values, _):
            2 + values.count / 8
        case .like(let pattern, _): 150 + pattern.text.unicodeScalars.count / 4
        case .containsAllTokens(let texts), .containsAnyTokens(let texts):
            16 + texts.reduce(0) { $0 + $1.unicodeScalars.count } / 16
        }
    }
}
