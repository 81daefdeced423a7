import CloudModel

/// Predicates as nodes, whose leaves are in `Vocabulary+Comparisons.swift`.
extension Vocabulary {
    /// A predicate as tests whose operands have numbers, which the result holds until `release`.
    mutating func node(_ predicate: Predicate, isNegated: Bool = false) -> PredicateNode {
        switch predicate {
        case .always: isNegated ? .never : .always
        case .not(let part): node(part, isNegated: !isNegated)
        case .all(let parts): isNegated ? any(parts, isNegated: true) : all(parts, isNegated: false)
        case .any(let parts): isNegated ? all(parts, isNegated: true) : any(parts, isNegated: false)
        case .comparison(let comparison):
            switch positive(comparison) {
            case .always: isNegated ? .never : .always
            case .never: isNegated ? .always : .never
            case .leaf(let leaf, _): .leaf(leaf, isNegated: isNegated)
            case .all(let parts): isNegated ? .any(parts.map(Self.negated)) : .all(parts)
            case .any(let parts): isNegated ? .all(parts.map(Self.negated)) : .any(parts)
            }
        }
    }

    private mutating func all(_ parts: [Predicate], isNegated: Bool) -> PredicateNode {
        var nodes: [PredicateNode] = []
        nodes.reserveCapacity(parts.count)
        for part in parts { nodes.append(node(part, isNegated: isNegated)) }
        let result = PredicateNode.all(of: nodes)
        if result.isNever { for node in nodes { release(node) } }
        return result
    }

    private mutating func any(_ parts: [Predicate], isNegated: Bool) -> PredicateNode {
        var nodes: [PredicateNode] = []
        for part in parts { nodes.append(node(part, isNegated: isNegated)) }
        let result = PredicateNode.any(of: nodes)
        if case .always = result { for node in nodes { release(node) } }
        return result
    }

    /// The negation of leaves that stand for one comparison.
    private static func negated(_ node: PredicateNode) -> PredicateNode {
        guard case .leaf(let leaf, let isNegated) = node else { return node }
        return .leaf(leaf, isNegated: !isNegated)
    }

    /// A comparison that is not negated.
    private mutating func positive(_ comparison: Predicate.Comparison) -> PredicateNode {
        guard let slot = takeSlot(of: comparison.field) else {
            // Every record has a name: the slot is there to be looked up.
            note(.field, of: 0)
            return tree(comparison, slot: 0)
        }
        // Each instruction that is made holds it for itself.
        defer { releaseSlot(Int(slot)) }
        if comparison.field == .searchableTexts {
            switch comparison.relation {
            case .containsAllTokens, .containsAnyTokens: break
            default: return .never
            }
        }
        note(.field, of: slot)
        var isOfSystem = false
        if case .system = comparison.field { isOfSystem = true }
        return test(comparison, slot, isOfSystem: isOfSystem)
    }

    /// The test of a relation on the field of a slot. Strings of system fields are never folded, and the fields are
    /// always present.
    private mutating func test(
        _ comparison: Predicate.Comparison, _ slot: UInt16, isOfSystem: Bool
    ) -> PredicateNode {
        switch comparison.relation {
        case .exists:
            if isOfSystem { return .always }
            return leaf(Instruction(.present, slot: slot), .present)
        case .equals(let operand, let options): return equality([operand], isOfSystem ? [] : options, slot)
        case .isIn(let operands, let options): return equality(operands, isOfSystem ? [] : options, slot)
        case .lessThan(let operand): return order(.less, operand, slot)
        case .lessThanOrEquals(let operand): return order(.lessOrEqual, operand, slot)
        case .greaterThan(let operand): return order(.greater, operand, slot)
        case .greaterThanOrEquals(let operand): return order(.greaterOrEqual, operand, slot)
        case .listContains(let operand, let options): return membership([operand], options, slot)
        case .listContainsAny(let operands, let options): return membership(operands, options, slot)
        case .listContainsAll(let operands, let options): return memberships(operands, options, slot)
        case .beginsWith(let text, let options): return texts(.begins, text, options, slot) { .begins($0, $1) }
        case .endsWith(let text, let options): return texts(.ends, text, options, slot) { .holds($0, $1) }
        case .containsText(let text, let options): return texts(.contains, text, options, slot) { .holds($0, $1) }
        case .like(let pattern, let options): return like(pattern, options, slot)
        case .containsAllTokens(let search): return words(.tokensAll, search, slot)
        case .containsAnyTokens(let search): return words(.tokensAny, search, slot)
        case .near(let place, let metres, _): return tree(comparison, slot: slot, .near(place, metres: metres))
        case .listMemberBeginsWith: return tree(comparison, slot: slot)
        }
    }
}
