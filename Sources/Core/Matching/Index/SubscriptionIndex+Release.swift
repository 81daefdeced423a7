import CloudModel

extension SubscriptionIndex {
    /// Gives back what the tests of a node hold.
    mutating func release(_ node: PredicateNode) {
        switch node {
        case .always, .never: break
        case .leaf(let leaf, _): release(leaf.instruction)
        case .all(let parts), .any(let parts): for part in parts { release(part) }
        }
    }

    /// Gives back what an instruction holds.
    mutating func release(_ instruction: Instruction) {
        if instruction.word == 0 { return }
        releaseSlot(instruction.slot)
        switch instruction.test {
        case .equals, .memberEquals, .textLess, .textLessOrEqual, .textGreater, .textGreaterOrEqual, .begins, .ends,
            .contains:
            names.release(instruction.operand)
        case .isIn, .memberOfAny, .membersOfAll, .tokensAll, .tokensAny:
            let start = Int(instruction.operand)
            let count = Int(sets.base[start])
            for index in 0..<count { names.release(sets.base[start + 1 + index]) }
            sets.release(instruction.operand, count: count + 1)
        case .like: names.release(patterns.release(instruction.operand))
        case .tree: names.release(trees.release(instruction.operand))
        case .jump, .accept, .present, .less, .lessOrEqual, .greater, .greaterOrEqual, .lessWide, .lessOrEqualWide,
            .greaterWide, .greaterOrEqualWide, .lessDouble, .lessOrEqualDouble, .greaterDouble, .greaterOrEqualDouble:
            break
        }
    }
}
