import CloudModel

extension SubscriptionIndex {
    /// A predicate as tests whose operands have numbers, which the result holds.
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
        if result.isNever { nodes.forEach { release($0) } }
        return result
    }

    private mutating func any(_ parts: [Predicate], isNegated: Bool) -> PredicateNode {
        var nodes: [PredicateNode] = []
        for part in parts { nodes.append(node(part, isNegated: isNegated)) }
        let result = PredicateNode.any(of: nodes)
        if case .always = result { nodes.forEach { release($0) } }
        return result
    }

    /// The negation of leaves that stand for one comparison.
    private static func negated(_ node: PredicateNode) -> PredicateNode {
        guard case .leaf(let leaf, let isNegated) = node else { return node }
        return .leaf(leaf, isNegated: !isNegated)
    }

    private mutating func positive(_ comparison: Predicate.Comparison) -> PredicateNode {
        guard let slot = takeSlot(of: comparison.field) else {
            // Every record has a name: the slot is there to be looked up.
            uses.base[0] |= EventSlots.usesField
            return tree(comparison, slot: 0)
        }
        // Each instruction that is made holds it for itself.
        defer { releaseSlot(Int(slot)) }
        var isOfSystem = false
        if case .system = comparison.field { isOfSystem = true }
        if comparison.field == .searchableTexts {
            switch comparison.relation {
            case .containsAllTokens, .containsAnyTokens: break
            default: return .never
            }
        }
        uses.base[Int(slot)] |= EventSlots.usesField
        switch comparison.relation {
        case .exists:
            if isOfSystem { return .always }
            return leaf(Instruction(.present, slot: slot), .present)
        case .equals(let operand, let options): return equality([operand], isOfSystem ? [] : options, slot)
        case .isIn(let operands, let options): return equality(operands, isOfSystem ? [] : options, slot)
        case .lessThan(let operand): return order(0, operand, slot)
        case .lessThanOrEquals(let operand): return order(1, operand, slot)
        case .greaterThan(let operand): return order(2, operand, slot)
        case .greaterThanOrEquals(let operand): return order(3, operand, slot)
        case .listContains(let operand, let options): return membership([operand], options, slot)
        case .listContainsAny(let operands, let options): return membership(operands, options, slot)
        case .listContainsAll(let operands, let options): return memberships(operands, options, slot)
        case .beginsWith(let text, let options):
            return texts(.begins, text, options, slot) { .begins($0, $1) }
        case .endsWith(let text, let options): return texts(.ends, text, options, slot) { .holds($0, $1) }
        case .containsText(let text, let options): return texts(.contains, text, options, slot) { .holds($0, $1) }
        case .like(let pattern, let options):
            let literal = [UInt8](options.folded(LikePattern.longestLiteral(pattern.text)).utf8)
            let variant = Variant(options)
            return leaf(
                Instruction(.like, slot: slot, variant: variant, operand: keep(pattern, options)),
                literal.isEmpty ? .present : .holds(literal, variant))
        case .containsAllTokens(let search): return words(.tokensAll, search, slot)
        case .containsAnyTokens(let search): return words(.tokensAny, search, slot)
        case .near(let place, let metres, _): return tree(comparison, slot: slot, .near(place, metres: metres))
        case .listMemberBeginsWith: return tree(comparison, slot: slot)
        }
    }

    /// The number of a pattern, which equal ones share.
    private mutating func keep(_ pattern: TextPattern, _ options: Predicate.StringOptions) -> UInt32 {
        let name = names.intern([OperandName.pattern, Variant(options).rawValue] + pattern.text.utf8)
        if let number = patterns.take(name) {
            names.release(name)
            return number
        }
        return patterns.keep(pattern.prepared(folded: options.folded), name: name)
    }

    private func leaf(
        _ instruction: Instruction, wide: UInt64 = 0, _ access: PredicateLeaf.Access
    ) -> PredicateNode {
        retainSlot(instruction.slot)
        return .leaf(PredicateLeaf(instruction: instruction, wide: wide, access: access), isNegated: false)
    }

    /// Asks the plain walk.
    mutating func tree(
        _ comparison: Predicate.Comparison, slot: UInt16, _ access: PredicateLeaf.Access = .present
    ) -> PredicateNode {
        leaf(Instruction(.tree, slot: slot, operand: keep(comparison, slot)), access)
    }

    /// The number of a comparison, which equal ones share.
    private mutating func keep(_ comparison: Predicate.Comparison, _ slot: UInt16) -> UInt32 {
        guard let bytes = OperandName.bytes(of: comparison.relation),
            slot > 0 || comparison.field == .system(.recordName)
        else { return trees.keep(.comparison(comparison)) }
        let name = names.intern([OperandName.tree, UInt8(slot >> 8), UInt8(slot & 255)] + bytes)
        if let number = trees.take(name) {
            names.release(name)
            return number
        }
        return trees.keep(.comparison(comparison), name: name)
    }

    /// The numbers of operands by the variant that they are compared in; what equals nothing is left out.
    private mutating func numbers(
        _ operands: [FieldValue], _ options: Predicate.StringOptions, _ slot: UInt16
    ) -> [(variant: Variant, ids: [UInt32])] {
        var groups: [(variant: Variant, ids: [UInt32])] = []
        for operand in operands {
            guard let name = OperandName.of(operand, options) else { continue }
            uses.base[Int(slot)] |= 1 << UInt16(name.variant.rawValue)
            let id = names.intern(name.bytes)
            let group = groups.firstIndex { $0.variant == name.variant }
            if let group {
                if groups[group].ids.contains(id) { names.release(id) } else { groups[group].ids.append(id) }
            } else {
                groups.append((name.variant, [id]))
            }
        }
        return groups
    }

    /// One of the operands, as the field's value or as a member of its list.
    private mutating func oneOf(
        _ operands: [FieldValue], _ options: Predicate.StringOptions, _ slot: UInt16, single: Instruction.Test,
        several: Instruction.Test, _ access: ([UInt32], Variant) -> PredicateLeaf.Access
    ) -> PredicateNode {
        var leaves: [PredicateNode] = []
        for group in numbers(operands, options, slot) {
            let instruction =
                group.ids.count == 1
                ? Instruction(single, slot: slot, variant: group.variant, operand: group.ids[0])
                : Instruction(several, slot: slot, variant: group.variant, operand: set(group.ids.sorted()))
            leaves.append(leaf(instruction, access(group.ids, group.variant)))
        }
        return .any(of: leaves)
    }

    private mutating func equality(
        _ operands: [FieldValue], _ options: Predicate.StringOptions, _ slot: UInt16
    ) -> PredicateNode {
        oneOf(operands, options, slot, single: .equals, several: .isIn) { .equals($0, $1) }
    }

    private mutating func membership(
        _ operands: [FieldValue], _ options: Predicate.StringOptions, _ slot: UInt16
    ) -> PredicateNode {
        oneOf(operands, options, slot, single: .memberEquals, several: .memberOfAny) { .member($0, $1) }
    }

    private mutating func memberships(
        _ operands: [FieldValue], _ options: Predicate.StringOptions, _ slot: UInt16
    ) -> PredicateNode {
        guard operands.allSatisfy({ OperandName.of($0, options) != nil }) else { return .never }
        let groups = numbers(operands, options, slot)
        if groups.isEmpty { return leaf(Instruction(.membersOfAll, slot: slot, operand: set([])), .present) }
        return .all(
            of: groups.map { group in
                // Found by one of them: the rarest.
                let rarest = group.ids.min { names.references($0) < names.references($1) }!
                return leaf(
                    Instruction(.membersOfAll, slot: slot, variant: group.variant, operand: set(group.ids.sorted())),
                    .member([rarest], group.variant))
            })
    }

    private mutating func order(_ relation: Int, _ operand: FieldValue, _ slot: UInt16) -> PredicateNode {
        if case .string(let text) = operand {
            let test = Instruction.Test(rawValue: Instruction.Test.textLess.rawValue + UInt64(relation))!
            let id = names.intern(OperandName.bytes(OperandName.text, text))
            return leaf(Instruction(test, slot: slot, operand: id), .present)
        }
        if case .double(let number) = operand, Number.whole(number) == nil {
            if number.isNaN { return .never }
            let test = Instruction.Test(rawValue: Instruction.Test.lessDouble.rawValue + UInt64(relation))!
            return leaf(
                Instruction(test, slot: slot), wide: number.bitPattern,
                interval(relation, Number.ordinal(number), number))
        }
        var integer = Number.integer(operand)
        if case .double(let number) = operand { integer = Number.whole(number) }
        guard let integer else { return .never }
        let access = interval(relation, Number.ordinal(integer), Double(integer))
        if let narrow = Int32(exactly: integer) {
            let test = Instruction.Test(rawValue: Instruction.Test.less.rawValue + UInt64(relation))!
            return leaf(Instruction(test, slot: slot, operand: UInt32(bitPattern: narrow)), access)
        }
        let test = Instruction.Test(rawValue: Instruction.Test.lessWide.rawValue + UInt64(relation))!
        return leaf(Instruction(test, slot: slot), wide: UInt64(bitPattern: integer), access)
    }

    private func interval(_ relation: Int, _ ordinal: Int64, _ threshold: Double) -> PredicateLeaf.Access {
        relation < 2
            ? .interval(low: nil, high: ordinal, threshold: threshold)
            : .interval(low: ordinal, high: nil, threshold: threshold)
    }

    private mutating func texts(
        _ test: Instruction.Test, _ text: String, _ options: Predicate.StringOptions, _ slot: UInt16,
        _ access: ([UInt8], Variant) -> PredicateLeaf.Access
    ) -> PredicateNode {
        let folded = [UInt8](options.folded(text).utf8)
        let variant = Variant(options)
        let id = names.intern([OperandName.text] + folded)
        return leaf(
            Instruction(test, slot: slot, variant: variant, operand: id),
            folded.isEmpty ? .present : access(folded, variant))
    }

    private mutating func words(_ test: Instruction.Test, _ search: [String], _ slot: UInt16) -> PredicateNode {
        let sought = Words.sought(search).sorted()
        if sought.isEmpty { return .never }
        uses.base[Int(slot)] |= EventSlots.usesTokens
        var ids: [UInt32] = []
        for word in sought { ids.append(names.intern(OperandName.bytes(OperandName.token, word))) }
        return leaf(
            Instruction(test, slot: slot, operand: set(ids.sorted())), .tokens(ids, areAllNeeded: test == .tokensAll))
    }

    private mutating func set(_ ids: [UInt32]) -> UInt32 {
        let offset = sets.allocate(ids.count + 1)
        sets.base[Int(offset)] = UInt32(ids.count)
        for (index, id) in ids.enumerated() { sets.base[Int(offset) + 1 + index] = id }
        return offset
    }
}
