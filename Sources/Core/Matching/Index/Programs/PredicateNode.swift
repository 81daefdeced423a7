import CloudModel

/// A predicate on its way to a program: negations are at the leaves, constants are folded.
indirect enum PredicateNode {
    case always
    case never
    case leaf(PredicateLeaf, isNegated: Bool)
    case all([PredicateNode])
    case any([PredicateNode])

    static func all(of parts: [PredicateNode]) -> PredicateNode {
        var kept: [PredicateNode] = []
        for part in parts {
            switch part {
            case .always: continue
            case .never: return .never
            case .all(let inner): kept += inner
            default: kept.append(part)
            }
        }
        return kept.isEmpty ? .always : kept.count == 1 ? kept[0] : .all(kept)
    }

    static func any(of parts: [PredicateNode]) -> PredicateNode {
        var kept: [PredicateNode] = []
        for part in parts {
            switch part {
            case .never: continue
            case .always: return .always
            case .any(let inner): kept += inner
            default: kept.append(part)
            }
        }
        return kept.isEmpty ? .never : kept.count == 1 ? kept[0] : .any(kept)
    }

    var isNever: Bool { if case .never = self { true } else { false } }

    /// Some tests of a conjunction, by their places; a single test is one of itself.
    func parts(_ positions: [Int]) -> [PredicateNode] {
        if positions.isEmpty { return [] }
        guard case .all(let parts) = self else { return [self] }
        return positions.map { parts[$0] }
    }

    /// The conjunction of the other tests.
    func without(_ positions: [Int]) -> PredicateNode {
        if positions.isEmpty { return self }
        guard case .all(let parts) = self else { return .always }
        return .all(of: parts.indices.filter { !positions.contains($0) }.map { parts[$0] })
    }

    /// A conjunction with its cheap tests first: those of eight bytes, then those with an operand word, then texts and
    /// trees.
    var ordered: PredicateNode {
        guard case .all(let parts) = self else { return self }
        let ranked = parts.enumerated().map { ($0.element.rank, $0.offset) }
        return .all(ranked.sorted { $0 < $1 }.map { parts[$0.1] })
    }

    private var rank: Int {
        guard case .leaf(let leaf, _) = self else { return 4 }
        switch leaf.instruction.test {
        case .tree: return 5
        case .begins, .ends, .contains, .tokensAll, .tokensAny, .like: return 3
        case .equals: return 0
        default: return leaf.instruction.isWide ? 2 : 1
        }
    }
}

/// One test with what it offers to be found by.
struct PredicateLeaf {
    /// A property that every event has that satisfies the test.
    enum Access {
        /// The field alone.
        case present
        /// One of these numbers as its value, or as a member of its list.
        case equals([UInt32], Variant)
        case member([UInt32], Variant)
        /// A number within, by ordinals; an open end is nil. The threshold is that of a one-sided test.
        case interval(low: Int64?, high: Int64?, threshold: Double)
        case begins([UInt8], Variant)
        case holds([UInt8], Variant)
        case tokens([UInt32], areAllNeeded: Bool)
        case near(Location, metres: Double)
    }

    var instruction: Instruction
    /// The operand of a wide instruction.
    var wide: UInt64 = 0
    var access: Access

    var slot: Int { instruction.slot }
}
