import CloudModel

extension MatchingSpace {
    /// Returns true if the event satisfies the program of an entry.
    @inline(__always)
    mutating func passes(_ entry: Entry, _ record: Record, _ index: borrowing SubscriptionIndex) -> Bool {
        var instruction = Instruction(word: entry.first)
        if instruction.word == 0 { return true }
        // Word 0 is in the entry, the others are in the row.
        let row = index.programs.rest(entry.rest) - 1
        var position = 0
        while true {
            let outcome = holds(instruction, row + position + 1, record, index)
            position += instruction.isWide ? 2 : 1
            if outcome == instruction.jumpsOn {
                let skip = instruction.skip
                if skip == Instruction.jumpReject { return false }
                if skip == Instruction.jumpAccept { return true }
                position += skip == Instruction.jumpFar ? Int(instruction.operand) : Int(skip)
            } else if instruction.isLast {
                return true
            }
            instruction = Instruction(word: row[position])
        }
    }

    @inline(__always)
    private mutating func holds(
        _ test: Instruction, _ wide: UnsafePointer<UInt64>, _ record: Record, _ index: borrowing SubscriptionIndex
    ) -> Bool {
        let kind = test.test
        if kind.rawValue >= Instruction.Test.tree.rawValue {
            return kind == .jump || treeHolds(test, record, index)
        }
        let slot = test.slot
        guard event.isFilled(slot) else { return false }
        switch kind {
        case .equals: return event.ids.base[slot * Variant.count + test.variant] == test.operand
        case .less: return compares(.less, slot, Int64(Int32(bitPattern: test.operand)))
        case .lessOrEqual: return compares(.lessOrEqual, slot, Int64(Int32(bitPattern: test.operand)))
        case .greater: return compares(.greater, slot, Int64(Int32(bitPattern: test.operand)))
        case .greaterOrEqual: return compares(.greaterOrEqual, slot, Int64(Int32(bitPattern: test.operand)))
        case .lessWide: return compares(.less, slot, Int64(bitPattern: wide.pointee))
        case .lessOrEqualWide: return compares(.lessOrEqual, slot, Int64(bitPattern: wide.pointee))
        case .greaterWide: return compares(.greater, slot, Int64(bitPattern: wide.pointee))
        case .greaterOrEqualWide: return compares(.greaterOrEqual, slot, Int64(bitPattern: wide.pointee))
        // Behind a narrow instruction may be the end of the memory.
        default: return holdsRarely(test, test.isWide ? wide.pointee : 0, record, index)
        }
    }

    @inline(__always) private func compares(_ relation: OrderRelation, _ slot: Int, _ operand: Int64) -> Bool {
        let filled = event.slots.base + slot
        if filled.pointee.kind == .integer {
            return relation.holds(Int64(bitPattern: filled.pointee.bits), operand)
        }
        guard filled.pointee.kind == .double else { return false }
        let order = ValueOrdering.compare(operand, to: Double(bitPattern: filled.pointee.bits))
        return relation.holds(order.map(ValueOrdering.reversed))
    }

    private func comparesDouble(_ relation: OrderRelation, _ slot: Int, _ operand: Double) -> Bool {
        let filled = event.slots[slot]
        switch filled.kind {
        case .integer:
            return relation.holds(ValueOrdering.compare(Int64(bitPattern: filled.bits), to: operand))
        case .double: return relation.holds(Double(bitPattern: filled.bits), operand)
        default: return false
        }
    }

    private mutating func holdsRarely(
        _ test: Instruction, _ wide: UInt64, _ record: Record, _ index: borrowing SubscriptionIndex
    ) -> Bool {
        let slot = test.slot
        switch test.test {
        case .present: return true
        case .isIn:
            return index.vocabulary.set(test.operand).holdsSorted(event.ids[slot * Variant.count + test.variant])
        case .memberEquals: return members(test).map { event.holds($0, test.operand) } ?? false
        case .memberOfAny: return hasMember(test, of: index.vocabulary.set(test.operand))
        case .membersOfAll:
            guard let run = members(test) else { return false }
            return index.vocabulary.set(test.operand).allSatisfy { event.holds(run, $0) }
        case .tokensAll:
            let run = event.slots[slot].tokens
            return index.vocabulary.set(test.operand).allSatisfy { event.holds(run, $0) }
        case .tokensAny:
            let run = event.slots[slot].tokens
            return index.vocabulary.set(test.operand).contains { event.holds(run, $0) }
        case .lessDouble: return comparesDouble(.less, slot, Double(bitPattern: wide))
        case .lessOrEqualDouble: return comparesDouble(.lessOrEqual, slot, Double(bitPattern: wide))
        case .greaterDouble: return comparesDouble(.greater, slot, Double(bitPattern: wide))
        case .greaterOrEqualDouble: return comparesDouble(.greaterOrEqual, slot, Double(bitPattern: wide))
        default: return textHolds(test, record, index)
        }
    }

    // MARK: Lists

    private func members(_ test: Instruction) -> EventSlots.Run? {
        guard event.slots[test.slot].kind == .list else { return nil }
        return event.runs[test.slot * Variant.count + test.variant]
    }

    /// Asks for each of the fewer among the more.
    private func hasMember(_ test: Instruction, of set: UnsafeBufferPointer<UInt32>) -> Bool {
        guard let run = members(test) else { return false }
        if set.count < run.count { return set.contains { event.holds(run, $0) } }
        for place in run.start..<run.start + run.count where set.holdsSorted(event.members[place]) { return true }
        return false
    }

    // MARK: Texts and trees

    /// The work of a distance, or of one look into a list, in bytes of a text that is searched.
    private static let treeWork = 128

    private mutating func treeHolds(_ test: Instruction, _ record: Record, _ index: borrowing SubscriptionIndex) -> Bool
    {
        guard atoms.isWorthwhile(Self.treeWork) else { return index.vocabulary.tree(test.operand).holds(for: record) }
        if let known = atoms.outcome(test.atom) { return known }
        let holds = index.vocabulary.tree(test.operand).holds(for: record)
        atoms.remember(test.atom, holds)
        return holds
    }

    private mutating func textHolds(_ test: Instruction, _ record: Record, _ index: borrowing SubscriptionIndex) -> Bool
    {
        let variant = test.variant
        guard let text = event.text(test.slot, variant, record) else { return false }
        if test.test == .like || test.test == .contains {
            guard atoms.isWorthwhile(text.count * (test.test == .like ? 4 : 1)) else {
                return isFound(test, in: text, index)
            }
            if let known = atoms.outcome(test.atom) { return known }
            let isFound = isFound(test, in: text, index)
            atoms.remember(test.atom, isFound)
            return isFound
        }
        // The compared text is at most as long as the operand.
        let operand = index.vocabulary.operand(test.operand)
        switch test.test {
        case .begins: return text.begins(with: operand)
        case .ends: return text.ends(with: operand)
        case .textLess: return text.ordered(to: operand) < 0
        case .textLessOrEqual: return text.ordered(to: operand) <= 0
        case .textGreater: return text.ordered(to: operand) > 0
        case .textGreaterOrEqual: return text.ordered(to: operand) >= 0
        default: return false
        }
    }

    private mutating func isFound(
        _ test: Instruction, in text: UnsafeBufferPointer<UInt8>, _ index: borrowing SubscriptionIndex
    ) -> Bool {
        if test.test == .like { return index.vocabulary.pattern(test.operand).matches(text) }
        return searches.holds(index.vocabulary.operand(test.operand), text, at: test.slot * 4 + test.variant)
    }
}
