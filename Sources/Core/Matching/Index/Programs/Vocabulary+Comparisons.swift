import CloudModel

/// Comparisons as leaves of a node.
extension Vocabulary {
    /// A leaf, which holds the slot of its instruction.
    func leaf(
        _ instruction: Instruction, wide: UInt64 = 0, _ access: PredicateLeaf.Access
    ) -> PredicateNode {
        retainSlot(instruction.slot)
        return .leaf(PredicateLeaf(instruction: instruction, wide: wide, access: access), isNegated: false)
    }

    /// A leaf that asks the plain walk.
    mutating func tree(
        _ comparison: Predicate.Comparison, slot: UInt16, _ access: PredicateLeaf.Access = .present
    ) -> PredicateNode {
        leaf(Instruction(.tree, slot: slot, operand: keep(comparison, slot)), access)
    }

    /// The numbers of operands by the variant that they are compared in, without those that equal nothing.
    private mutating func numbers(
        _ operands: [FieldValue], _ options: Predicate.StringOptions, _ slot: UInt16
    ) -> [(variant: Variant, ids: [UInt32])] {
        var groups: [(variant: Variant, ids: [UInt32])] = []
        for operand in operands {
            guard let name = OperandName.of(operand, options) else { continue }
            note(.number(in: name.variant), of: slot)
            let id = takeOperand(name.bytes)
            let group = groups.firstIndex { $0.variant == name.variant }
            if let group {
                if groups[group].ids.contains(id) { releaseOperand(id) } else { groups[group].ids.append(id) }
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
                : Instruction(several, slot: slot, variant: group.variant, operand: keepSet(group.ids.sorted()))
            leaves.append(leaf(instruction, access(group.ids, group.variant)))
        }
        return .any(of: leaves)
    }

    /// One of the operands as the field's value.
    mutating func equality(
        _ operands: [FieldValue], _ options: Predicate.StringOptions, _ slot: UInt16
    ) -> PredicateNode {
        oneOf(operands, options, slot, single: .equals, several: .isIn) { .equals($0, $1) }
    }

    /// One of the operands as a member of the field's list.
    mutating func membership(
        _ operands: [FieldValue], _ options: Predicate.StringOptions, _ slot: UInt16
    ) -> PredicateNode {
        oneOf(operands, options, slot, single: .memberEquals, several: .memberOfAny) { .member($0, $1) }
    }

    /// All operands as members of the field's list.
    mutating func memberships(
        _ operands: [FieldValue], _ options: Predicate.StringOptions, _ slot: UInt16
    ) -> PredicateNode {
        guard operands.allSatisfy({ OperandName.of($0, options) != nil }) else { return .never }
        let groups = numbers(operands, options, slot)
        if groups.isEmpty { return leaf(Instruction(.membersOfAll, slot: slot, operand: keepSet([])), .present) }
        return .all(
            of: groups.map { group in
                // Found by one of them: the rarest.
                let rarest = group.ids.min { holders(ofOperand: $0) < holders(ofOperand: $1) }!
                return leaf(
                    Instruction(
                        .membersOfAll, slot: slot, variant: group.variant, operand: keepSet(group.ids.sorted())),
                    .member([rarest], group.variant))
            })
    }

    /// A value on one side of the operand.
    mutating func order(_ relation: OrderRelation, _ operand: FieldValue, _ slot: UInt16) -> PredicateNode {
        if case .string(let text) = operand {
            let id = takeOperand(OperandName.text, text)
            return leaf(Instruction(.text(relation), slot: slot, operand: id), .present)
        }
        if case .double(let number) = operand, Number.whole(number) == nil {
            if number.isNaN { return .never }
            return leaf(
                Instruction(.double(relation), slot: slot), wide: number.bitPattern,
                interval(relation, Number.ordinal(number), number))
        }
        var integer = Number.integer(operand)
        if case .double(let number) = operand { integer = Number.whole(number) }
        guard let integer else { return .never }
        let access = interval(relation, Number.ordinal(integer), Double(integer))
        if let narrow = Int32(exactly: integer) {
            return leaf(Instruction(.narrow(relation), slot: slot, operand: UInt32(bitPattern: narrow)), access)
        }
        return leaf(Instruction(.wide(relation), slot: slot), wide: UInt64(bitPattern: integer), access)
    }

    private func interval(_ relation: OrderRelation, _ ordinal: Int64, _ threshold: Double) -> PredicateLeaf.Access {
        relation.isUpperBound
            ? .interval(low: nil, high: ordinal, threshold: threshold)
            : .interval(low: ordinal, high: nil, threshold: threshold)
    }

    /// A text that begins or ends with another, or holds it.
    mutating func texts(
        _ test: Instruction.Test, _ text: String, _ options: Predicate.StringOptions, _ slot: UInt16,
        _ access: ([UInt8], Variant) -> PredicateLeaf.Access
    ) -> PredicateNode {
        let folded = [UInt8](options.folded(text).utf8)
        let variant = Variant(options)
        let id = takeOperand([OperandName.text] + folded)
        return leaf(
            Instruction(test, slot: slot, variant: variant, operand: id),
            folded.isEmpty ? .present : access(folded, variant))
    }

    /// A text that a pattern matches.
    mutating func like(_ pattern: TextPattern, _ options: Predicate.StringOptions, _ slot: UInt16) -> PredicateNode {
        let literal = [UInt8](options.folded(LikePattern.longestLiteral(pattern.text)).utf8)
        let variant = Variant(options)
        return leaf(
            Instruction(.like, slot: slot, variant: variant, operand: keep(pattern, options)),
            literal.isEmpty ? .present : .holds(literal, variant))
    }

    /// All or any of the words of a search.
    mutating func words(_ test: Instruction.Test, _ search: [String], _ slot: UInt16) -> PredicateNode {
        let sought = Words.sought(search).sorted()
        if sought.isEmpty { return .never }
        note(.words, of: slot)
        var ids: [UInt32] = []
        for word in sought { ids.append(takeOperand(OperandName.token, word)) }
        return leaf(
            Instruction(test, slot: slot, operand: keepSet(ids.sorted())),
            .tokens(ids, areAllNeeded: test == .tokensAll))
    }
}
