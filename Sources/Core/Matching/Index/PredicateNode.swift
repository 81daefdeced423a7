import CloudModel

/// A predicate on its way to a program: negations stand at the leaves, constants are folded.
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
}

/// One test with what it offers to be found by.
struct PredicateLeaf {
    /// What an event has that satisfies the test.
    enum Access {
        /// Nothing but the field.
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
