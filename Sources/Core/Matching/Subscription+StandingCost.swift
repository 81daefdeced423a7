package import CloudModel

extension Subscription {
    /// The cost of the subscription for each change of its type while it exists: the approximate work in comparisons of
    /// a number. Counted from the condition alone, so that it is the same for every user and never changes.
    ///
    /// A fourth for a selective predicate (`Predicate.isSelective`), which few changes meet: that depends on the values
    /// of records, so it is not free. Twice for a subscription that also evaluates the record before a change.
    package var standingCost: Int {
        guard condition.kind == .query else { return 1 }
        let predicate = condition.query.predicate
        let looks = condition.firesOn.isDisjoint(with: [.enter, .leave]) ? 1 : 2
        let cost = looks * predicate.standingCost + condition.changedKeys.count
        return max(1, predicate.isSelective ? cost / 4 : cost)
    }
}

extension Predicate {
    /// The cost of all comparisons on texts of any length.
    var standingCost: Int {
        switch self {
        case .always: 0
        case .all(let parts), .any(let parts): parts.reduce(0) { $0 + $1.standingCost }
        case .not(let part): part.standingCost
        case .comparison(let comparison):
            switch comparison.relation {
            // The whole text is walked for each pattern, while parts of it are found by its order.
            case .like: 8 * cost
            // Each distance is measured once a change.
            case .near: 48
            default: cost
            }
        }
    }

    /// Returns true if the predicate holds only for records with something that few have, by which the index finds the
    /// subscription: a value, a closed interval, a beginning or a part of three bytes, a word, a circle.
    var isSelective: Bool { isSelective(isNegated: false) }

    private func isSelective(isNegated: Bool) -> Bool {
        switch self {
        case .always: isNegated
        case .not(let part): part.isSelective(isNegated: !isNegated)
        case .all(let parts):
            isNegated
                ? parts.allSatisfy { $0.isSelective(isNegated: true) }
                : parts.contains { $0.isSelective(isNegated: false) } || Self.haveInterval(parts)
        case .any(let parts):
            isNegated
                ? parts.contains { $0.isSelective(isNegated: true) }
                : parts.allSatisfy { $0.isSelective(isNegated: false) }
        case .comparison(let comparison): !isNegated && comparison.relation.isSelective
        }
    }

    /// Returns true if one field is bounded on both sides.
    private static func haveInterval(_ parts: [Predicate]) -> Bool {
        var below: Set<FilterField> = []
        var above: Set<FilterField> = []
        for case .comparison(let comparison) in parts {
            switch comparison.relation {
            case .lessThan(let value), .lessThanOrEquals(let value):
                if case .string = value { continue }
                below.insert(comparison.field)
            case .greaterThan(let value), .greaterThanOrEquals(let value):
                if case .string = value { continue }
                above.insert(comparison.field)
            default: continue
            }
        }
        return !below.isDisjoint(with: above)
    }
}

extension Predicate.Relation {
    private static let partBytesMin = 3

    fileprivate var isSelective: Bool {
        switch self {
        case .equals, .isIn, .listContains, .listContainsAny, .containsAllTokens, .containsAnyTokens: true
        case .listContainsAll(let values, _): !values.isEmpty
        case .beginsWith(let text, _), .endsWith(let text, _), .containsText(let text, _):
            text.utf8.count >= Self.partBytesMin
        case .like(let pattern, _): LikePattern.longestLiteral(pattern.text).utf8.count >= Self.partBytesMin
        case .near(_, let metres, _): metres < 1_000_000
        case .exists, .lessThan, .lessThanOrEquals, .greaterThan, .greaterThanOrEquals, .listMemberBeginsWith: false
        }
    }
}
