/// The operator between the two sides of a comparison.
enum PredicateOperator: Equatable {
    case equal, notEqual, between, isIn, contains, beginsWith, endsWith, like, tokenMatches
    case order(GivenComparison.Order)

    /// Words that are no names of fields, but when written with `#`.
    static let reserved: Set<String> = [
        "AND", "OR", "NOT", "IN", "BETWEEN", "CONTAINS", "BEGINSWITH", "ENDSWITH", "LIKE", "MATCHES", "TOKENMATCHES",
        "ANY", "SOME", "ALL", "NONE", "NIL", "NULL", "TRUE", "FALSE", "YES", "NO", "SELF", "NOW", "CAST",
        "TRUEPREDICATE", "FALSEPREDICATE", "SUBQUERY", "FUNCTION", "TERNARY", "BLOCKPREDICATE", "UNION", "INTERSECT",
        "MINUS",
    ]

    init?(_ token: PredicateToken) {
        switch token.kind {
        case .symbol("="), .symbol("=="): self = .equal
        case .symbol("!="), .symbol("<>"): self = .notEqual
        case .symbol("<"): self = .order(.less)
        case .symbol("<="), .symbol("=<"): self = .order(.lessOrEqual)
        case .symbol(">"): self = .order(.greater)
        case .symbol(">="), .symbol("=>"): self = .order(.greaterOrEqual)
        default:
            switch token.keyword {
            case "BETWEEN": self = .between
            case "IN": self = .isIn
            case "CONTAINS": self = .contains
            case "BEGINSWITH": self = .beginsWith
            case "ENDSWITH": self = .endsWith
            case "LIKE": self = .like
            case "TOKENMATCHES": self = .tokenMatches
            default: return nil
            }
        }
    }

    /// The operator for the two sides exchanged; nil where it has none.
    var flipped: PredicateOperator? {
        switch self {
        case .equal, .notEqual: self
        case .order(.less): .order(.greater)
        case .order(.lessOrEqual): .order(.greaterOrEqual)
        case .order(.greater): .order(.less)
        case .order(.greaterOrEqual): .order(.lessOrEqual)
        default: nil
        }
    }

    /// True if `[c]` and `[d]` may follow.
    var takesOptions: Bool {
        switch self {
        case .order, .between: false
        default: true
        }
    }
}
