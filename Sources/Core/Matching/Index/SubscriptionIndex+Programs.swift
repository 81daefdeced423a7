import CloudModel

extension SubscriptionIndex {
    /// Whether the event satisfies the program of an entry.
    @inline(__always) mutating func passes(_ entry: Entry, _ record: Record) -> Bool {
        var instruction = Instruction(word: entry.first)
        if instruction.word == 0 { return true }
        // Word 0 stands in the entry, the others in the row.
        let row = code.base + (Int(entry.rest) - 1)
        var position = 0
        while true {
            let outcome = holds(instruction, row + position + 1, record)
            position += instruction.isWide ? 2 : 1
            if outcome == instruction.jumpsOn {
                let skip = instruction.skip
                if skip == Instruction.jumpReject { return false }
                if skip == Instruction.jumpAccept { return true }
                position += Int(skip)
            } else if instruction.isLast {
                return true
            }
            instruction = Instruction(word: row[position])
        }
    }

    @inline(__always)
    private mutating func holds(_ test: Instruction, _ wide: UnsafePointer<UInt64>, _ record: Record) -> Bool {
        let kind = test.test
        if kind == .tree { return trees[test.operand].holds(for: record) }
        let slot = test.slot
        guard event.isFilled(slot) else { return false }
        switch kind {
        case .equals: return event.ids.base[slot * Variant.count + test.variant] == test.operand
        case .less: return compares(0, slot, Int64(Int32(bitPattern: test.operand)))
        case .lessOrEqual: return compares(1, slot, Int64(Int32(bitPattern: test.operand)))
        case .greater: return compares(2, slot, Int64(Int32(bitPattern: test.operand)))
        case .greaterOrEqual: return compares(3, slot, Int64(Int32(bitPattern: test.operand)))
        case .lessWide: return compares(0, slot, Int64(bitPattern: wide.pointee))
        case .lessOrEqualWide: return compares(1, slot, Int64(bitPattern: wide.pointee))
        case .greaterWide: return compares(2, slot, Int64(bitPattern: wide.pointee))
        case .greaterOrEqualWide: return compares(3, slot, Int64(bitPattern: wide.pointee))
        default: return holdsRarely(test, wide.pointee, record)
        }
    }

    @inline(__always) private func compares(_ relation: Int, _ slot: Int, _ operand: Int64) -> Bool {
        let filled = event.slots.base + slot
        if filled.pointee.kind == .integer {
            return Number.holds(relation, Int64(bitPattern: filled.pointee.bits), operand)
        }
        guard filled.pointee.kind == .double else { return false }
        let order = ValueOrdering.compare(operand, to: Double(bitPattern: filled.pointee.bits))
        return Number.holds(relation, order.map(ValueOrdering.reversed))
    }

    private func comparesDouble(_ relation: Int, _ slot: Int, _ operand: Double) -> Bool {
        let filled = event.slots[slot]
        switch filled.kind {
        case .integer:
            return Number.holds(relation, ValueOrdering.compare(Int64(bitPattern: filled.bits), to: operand))
        case .double: return Number.holds(relation, Double(bitPattern: filled.bits), operand)
        default: return false
        }
    }

    private mutating func holdsRarely(_ test: Instruction, _ wide: UInt64, _ record: Record) -> Bool {
        let slot = test.slot
        switch test.test {
        case .present: return true
        case .isIn: return contains(test.operand, event.ids[slot * Variant.count + test.variant])
        case .memberEquals: return hasMember(slot, test.variant) { $0 == test.operand }
        case .memberOfAny:
            let set = test.operand
            return hasMember(slot, test.variant) { contains(set, $0) }
        case .membersOfAll: return hasAllMembers(slot, test.variant, test.operand)
        case .tokensAll: return hasTokens(slot, test.operand, areAllNeeded: true)
        case .tokensAny: return hasTokens(slot, test.operand, areAllNeeded: false)
        case .lessDouble: return comparesDouble(0, slot, Double(bitPattern: wide))
        case .lessOrEqualDouble: return comparesDouble(1, slot, Double(bitPattern: wide))
        case .greaterDouble: return comparesDouble(2, slot, Double(bitPattern: wide))
        case .greaterOrEqualDouble: return comparesDouble(3, slot, Double(bitPattern: wide))
        default: return textHolds(test, record)
        }
    }

    private mutating func textHolds(_ test: Instruction, _ record: Record) -> Bool {
        let variant = test.variant
        guard let text = event.text(test.slot, variant, record) else { return false }
        if test.test == .like { return patterns[test.operand].matches(text) }
        // Its kind stands before an operand.
        let operand = UnsafeBufferPointer(rebasing: names.text(test.operand).dropFirst())
        switch test.test {
        case .begins: return text.begins(with: operand)
        case .ends: return text.ends(with: operand)
        case .contains: return text.holds(operand)
        case .textLess: return text.ordered(to: operand) < 0
        case .textLessOrEqual: return text.ordered(to: operand) <= 0
        case .textGreater: return text.ordered(to: operand) > 0
        case .textGreaterOrEqual: return text.ordered(to: operand) >= 0
        default: return false
        }
    }

    /// Whether a number is in a row, which is sorted.
    private func contains(_ set: UInt32, _ id: UInt32) -> Bool {
        let row = sets.base + Int(set)
        var low = 1
        var high = Int(row[0]) + 1
        while low < high {
            let middle = (low + high) / 2
            if row[middle] < id { low = middle + 1 } else { high = middle }
        }
        return low <= Int(row[0]) && row[low] == id
    }

    @inline(__always)
    private func hasMember(_ slot: Int, _ variant: Int, _ isSought: (UInt32) -> Bool) -> Bool {
        let filled = event.slots[slot]
        guard filled.kind == .list else { return false }
        for index in 0..<Int(filled.count)
        where isSought(event.members.base[Int(filled.start) + index * Variant.count + variant]) { return true }
        return false
    }

    private func hasAllMembers(_ slot: Int, _ variant: Int, _ set: UInt32) -> Bool {
        guard event.slots[slot].kind == .list else { return false }
        let row = sets.base + Int(set)
        for index in 0..<Int(row[0]) {
            let sought = row[index + 1]
            if !hasMember(slot, variant, { $0 == sought }) { return false }
        }
        return true
    }

    private func hasTokens(_ slot: Int, _ set: UInt32, areAllNeeded: Bool) -> Bool {
        let filled = event.slots[slot]
        let row = sets.base + Int(set)
        for index in 0..<Int(row[0]) {
            let sought = row[index + 1]
            var isFound = false
            for token in 0..<Int(filled.tokenCount)
            where event.members.base[Int(filled.tokenStart) + token] == sought { isFound = true }
            if isFound != areAllNeeded { return isFound }
        }
        return areAllNeeded
    }
}
