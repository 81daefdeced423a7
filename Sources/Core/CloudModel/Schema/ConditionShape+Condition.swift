extension ConditionShape {
    /// The shape of a query subscription's condition. Two conditions that differ in their values alone have the same.
    package init(_ condition: Subscription.Condition) {
        let events = FiringEvents.names.filter { condition.firesOn.contains($0.event) }.map(\.name)
        let keys = condition.changedKeys.map(\.rawValue).joined(separator: ", ")
        let changed = keys.isEmpty ? "" : " CHANGED \(keys)"
        self.init(
            recordType: condition.query.recordType,
            text: "\(Self.text(condition.query.predicate)) ON \(events.joined(separator: ", "))\(changed)")
    }

    private static func text(_ predicate: Predicate) -> String {
        switch predicate {
        case .always: "TRUEPREDICATE"
        case .all(let parts): joined(parts, "AND", none: "TRUEPREDICATE")
        case .any(let parts): joined(parts, "OR", none: "FALSEPREDICATE")
        case .not(let part): "NOT (\(text(part)))"
        case .comparison(let comparison): "\(comparison.field) \(name(comparison.relation))"
        }
    }

    /// Parts in one order, as AND and OR do not mind theirs.
    private static func joined(_ parts: [Predicate], _ word: String, none: String) -> String {
        let texts = parts.map { part in
            switch part {
            case .all(let inner) where inner.count > 1, .any(let inner) where inner.count > 1: "(\(text(part)))"
            default: text(part)
            }
        }
        return texts.isEmpty ? none : texts.sorted().joined(separator: " \(word) ")
    }

    private static func name(_ relation: Predicate.Relation) -> String {
        switch relation {
        case .exists: "EXISTS"
        case .equals(_, let options): "EQUALS" + suffix(options)
        case .lessThan: "LESS_THAN"
        case .lessThanOrEquals: "LESS_THAN_OR_EQUALS"
        case .greaterThan: "GREATER_THAN"
        case .greaterThanOrEquals: "GREATER_THAN_OR_EQUALS"
        case .isIn(_, let options): "IN" + suffix(options)
        case .beginsWith(_, let options): "BEGINS_WITH" + suffix(options)
        case .endsWith(_, let options): "ENDS_WITH" + suffix(options)
        case .containsText(_, let options): "CONTAINS" + suffix(options)
        case .like(_, let options): "LIKE" + suffix(options)
        case .listContains(_, let options): "LIST_CONTAINS" + suffix(options)
        case .listContainsAny(_, let options): "LIST_CONTAINS_ANY" + suffix(options)
        case .listContainsAll(_, let options): "LIST_CONTAINS_ALL" + suffix(options)
        case .listMemberBeginsWith(_, let options): "LIST_MEMBER_BEGINS_WITH" + suffix(options)
        case .near: "NEAR"
        case .containsAllTokens: "CONTAINS_ALL_TOKENS"
        case .containsAnyTokens: "CONTAINS_ANY_TOKENS"
        }
    }

    private static func suffix(_ options: Predicate.StringOptions) -> String {
        let letters =
            (options.contains(.caseInsensitive) ? "c" : "") + (options.contains(.diacriticInsensitive) ? "d" : "")
        return letters.isEmpty ? "" : "[\(letters)]"
    }
}
