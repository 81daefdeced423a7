import CloudModel

extension PredicateParser {
    private enum Modifier { case any, all, none }

    /// The parts of a comparison, before they are put together.
    private struct Parts {
        var modifier: Modifier?
        var comparator: PredicateOperator
        var options: Predicate.StringOptions
        var hasOptions: Bool
        /// The offsets of the comparison, of its operator and of its right side.
        var start: Int
        var middle: Int
        var end: Int
    }

    mutating func comparison() throws(CloudError) -> GivenTree {
        let start = current.offset
        let modifier = try modifier()
        let left = try operand()
        let middle = current.offset
        guard let comparator = PredicateOperator(current) else {
            try refuseByName(current)
            throw error(
                "expected a comparison: ==, !=, <, <=, >, >=, BETWEEN, IN, CONTAINS, BEGINSWITH, ENDSWITH or LIKE")
        }
        try advance()
        let (options, hasOptions) = try self.options(of: comparator)
        let end = current.offset
        let right = try operand()
        let parts = Parts(
            modifier: modifier, comparator: comparator, options: options, hasOptions: hasOptions, start: start,
            middle: middle, end: end)
        let tree = try tree(left, right, parts)
        return modifier == Modifier.none ? .not(tree) : tree
    }

    private mutating func modifier() throws(CloudError) -> Modifier? {
        let modifier: Modifier
        switch current.keyword {
        case "ANY", "SOME": modifier = .any
        case "ALL": modifier = .all
        case "NONE":
            try requireFanfare("NONE", at: current.offset)
            modifier = .none
        default: return nil
        }
        try advance()
        return modifier
    }

    /// `[c]`, `[d]` or `[cd]`; token searches also take CloudKit's `[cdl]`.
    private mutating func options(
        of comparator: PredicateOperator
    ) throws(CloudError) -> (Predicate.StringOptions, Bool) {
        guard current.kind == .symbol("[") else { return ([], false) }
        guard comparator.takesOptions else {
            throw error("options go with ==, !=, IN, CONTAINS, BEGINSWITH, ENDSWITH and LIKE only")
        }
        try advance()
        guard case .word(let letters) = current.kind else { throw error("expected c, d or cd") }
        var options: Predicate.StringOptions = []
        for letter in letters {
            switch letter {
            case "c", "C": options.insert(.caseInsensitive)
            case "d", "D": options.insert(.diacriticInsensitive)
            case "l" where comparator == .tokenMatches || comparator == .contains: break
            default: throw error("options are c (case) and d (diacritics); '\(letter)' is not supported")
            }
        }
        try advance()
        try expect("]")
        return (options, true)
    }

    /// Puts the field on the left.
    private func tree(
        _ left: PredicateOperand, _ right: PredicateOperand, _ parts: Parts
    ) throws(CloudError) -> GivenTree {
        var parts = parts
        switch (left, right) {
        case (.field, .field):
            throw failure.error("two fields cannot be compared with each other: expected a value", at: parts.end)
        case (.distance(let field, let place), .value(let radius)):
            return try distance(field, place, radius, parts)
        case (.value, .distance(let field, let place)):
            guard let flipped = parts.comparator.flipped, case .value(let radius) = left else { break }
            parts.comparator = flipped
            return try distance(field, place, radius, parts)
        case (.words(let words), .field(let field)):
            guard parts.comparator == .isIn else { break }
            return try search(words, in: field, parts)
        case (.field(.searchableTexts), _): return try search(right, parts)
        case (_, .field(.searchableTexts)):
            throw failure.error("self is searched with: self CONTAINS 'words'", at: parts.end)
        case (.field(let field), _): return try tree(field, right, parts)
        case (_, .field(let field)): return try inverse(left, field, parts)
        default: break
        }
        throw failure.error("a comparison needs a field on one of its sides and a value on the other", at: parts.start)
    }

    private func distance(
        _ field: FilterField, _ place: Location, _ radius: GivenValue, _ parts: Parts
    ) throws(CloudError) -> GivenTree {
        let metres: Double
        switch radius.value {
        case .int64(let number) where number >= 0: metres = Double(number)
        case .double(let number) where number >= 0: metres = number
        default: throw failure.error("a distance is compared with metres, 0 or more", at: parts.end)
        }
        func near(_ isInclusive: Bool) -> GivenTree {
            leaf(field, .near(place, metres: metres, isInclusive: isInclusive), parts)
        }
        switch parts.comparator {
        case .order(.less): return near(false)
        case .order(.lessOrEqual): return near(true)
        case .order(.greater), .order(.greaterOrEqual):
            try requireFanfare("distance tests for places outside of the circle", at: parts.middle)
            return .all([leaf(field, .exists, parts), .not(near(parts.comparator == .order(.greater)))])
        default: throw failure.error("a distance is compared with <, <=, > or >=", at: parts.middle)
        }
    }

    // MARK: Words

    private func search(_ right: PredicateOperand, _ parts: Parts) throws(CloudError) -> GivenTree {
        let words: String
        switch right {
        case .words(let text): words = text
        case .value(let given):
            guard case .string(let text) = given.value else { fallthrough }
            words = text
        default: throw failure.error("expected the words as a string", at: parts.end)
        }
        switch parts.comparator {
        case .contains: return leaf(.searchableTexts, .anyWords(words), parts, [])
        case .tokenMatches: return leaf(.searchableTexts, .allWords(words), parts, [])
        default: throw failure.error("self is searched with CONTAINS: self CONTAINS 'words'", at: parts.middle)
        }
    }

    private func search(_ words: String, in field: FilterField, _ parts: Parts) throws(CloudError) -> GivenTree {
        switch parts.modifier {
        case .all: return leaf(field, .allWords(words), parts, [])
        case .any, Modifier.none?: return leaf(field, .anyWords(words), parts, [])
        case nil: throw failure.error("expected ANY or ALL before tokenize", at: parts.start)
        }
    }

    // MARK: Values

    private func leaf(
        _ field: FilterField, _ test: GivenComparison.Test, _ parts: Parts, _ options: Predicate.StringOptions? = nil
    ) -> GivenTree {
        .comparison(
            GivenComparison(field: field, test: test, options: options ?? parts.options, offset: parts.start))
    }

    /// A field on the left.
    private func tree(
        _ field: FilterField, _ right: PredicateOperand, _ parts: Parts
    ) throws(CloudError) -> GivenTree {
        if parts.hasOptions { try requireFanfare("[c] and [d]", at: parts.middle) }
        switch parts.modifier {
        case .all: throw failure.error("ALL over a field is not supported: use NOT with ANY", at: parts.start)
        case .any, Modifier.none?: return try membership(field, right, parts)
        case nil: break
        }
        switch (parts.comparator, right) {
        case (.equal, .null):
            try requireFanfare("comparisons with nil", at: parts.end)
            return .not(leaf(field, .exists, parts, []))
        case (.notEqual, .null):
            try requireFanfare("comparisons with nil", at: parts.end)
            return leaf(field, .exists, parts, [])
        case (_, .null): throw failure.error("nil is compared with == and != only", at: parts.end)
        case (.equal, .value(let value)): return leaf(field, .equals(value), parts)
        case (.notEqual, .value(let value)): return .not(leaf(field, .equals(value), parts))
        case (.order(let order), .value(let value)): return leaf(field, .order(order, value), parts)
        case (.contains, .value(let value)): return leaf(field, .contains(value), parts)
        case (.beginsWith, _): return leaf(field, .beginsWith(try text(right, parts)), parts)
        case (.endsWith, _):
            try requireFanfare("ENDSWITH", at: parts.middle)
            return leaf(field, .endsWith(try text(right, parts)), parts)
        case (.like, _):
            try requireFanfare("LIKE", at: parts.middle)
            return leaf(field, .like(try pattern(right, parts)), parts)
        case (.tokenMatches, _): return leaf(field, .allWords(try text(right, parts)), parts, [])
        case (.isIn, _): return leaf(field, .isIn(try values(right, parts)), parts)
        case (.between, _):
            let bounds = try values(right, parts)
            guard bounds.count == 2 else { throw failure.error("BETWEEN takes two values: {1, 5}", at: parts.end) }
            return .all([
                leaf(field, .order(.greaterOrEqual, bounds[0]), parts),
                leaf(field, .order(.lessOrEqual, bounds[1]), parts),
            ])
        default: throw failure.error("expected a single value", at: parts.end)
        }
    }

    /// `ANY list …`: the test that the list has a member.
    private func membership(
        _ field: FilterField, _ right: PredicateOperand, _ parts: Parts
    ) throws(CloudError) -> GivenTree {
        switch (parts.comparator, right) {
        case (.equal, .value(let value)), (.contains, .value(let value)):
            return leaf(field, .listContains(value), parts)
        case (.isIn, _): return leaf(field, .listContainsAny(try values(right, parts)), parts)
        case (.beginsWith, _): return leaf(field, .listMemberBeginsWith(try text(right, parts)), parts)
        default: throw failure.error("ANY over a field goes with ==, IN, CONTAINS and BEGINSWITH", at: parts.middle)
        }
    }

    /// A field on the right.
    private func inverse(
        _ left: PredicateOperand, _ field: FilterField, _ parts: Parts
    ) throws(CloudError) -> GivenTree {
        var parts = parts
        switch (parts.comparator, parts.modifier) {
        case (.isIn, nil):
            guard case .value(let value) = left, value.value.type.elementType == nil else {
                throw failure.error("expected ANY or ALL before a list of values", at: parts.start)
            }
            return leaf(field, .contains(value), parts)
        case (.isIn, .all?):
            try requireFanfare("ALL", at: parts.start)
            return leaf(field, .listContainsAll(try values(left, parts)), parts)
        case (.isIn, _?):
            if case .value(let value) = left, value.value.type.elementType == nil {
                return leaf(field, .listContains(value), parts)
            }
            return leaf(field, .listContainsAny(try values(left, parts)), parts)
        case (.contains, nil): return leaf(field, .isIn(try values(left, parts)), parts)
        default:
            guard parts.modifier == nil, let flipped = parts.comparator.flipped else {
                throw failure.error("expected the field on the left", at: parts.start)
            }
            parts.comparator = flipped
            return try tree(field, left, parts)
        }
    }

    private func text(_ right: PredicateOperand, _ parts: Parts) throws(CloudError) -> String {
        guard case .value(let given) = right, case .string(let text) = given.value else {
            throw failure.error("expected a string", at: parts.end)
        }
        return text
    }

    private func pattern(_ right: PredicateOperand, _ parts: Parts) throws(CloudError) -> String {
        let pattern = try text(right, parts)
        guard pattern.unicodeScalars.count <= Limits.likePatternCharactersMax else {
            throw failure.error(
                "a pattern of LIKE has at most \(Limits.likePatternCharactersMax) characters", at: parts.end)
        }
        return pattern
    }

    private func values(_ operand: PredicateOperand, _ parts: Parts) throws(CloudError) -> [GivenValue] {
        switch operand {
        case .values(let values): return values
        case .value(let given):
            guard case .list(let elements, _) = given.value else { fallthrough }
            guard elements.count <= Limits.listFilterValuesMax else {
                throw failure.error("a list has at most \(Limits.listFilterValuesMax) values", at: parts.end)
            }
            return elements.map { GivenValue($0, isTypeExplicit: given.isTypeExplicit) }
        default: throw failure.error("expected a list: {1, 2, 3}, or %@ with an array", at: parts.end)
        }
    }
}
