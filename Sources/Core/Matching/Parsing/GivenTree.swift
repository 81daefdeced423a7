import CloudModel

/// The tree of a predicate string, before fields and the types of values are known.
indirect enum GivenTree: Equatable, Sendable {
    case always
    case all([GivenTree])
    case any([GivenTree])
    case not(GivenTree)
    case comparison(GivenComparison)

    static var never: GivenTree { .any([]) }

    /// Levels of AND, OR and NOT within one another.
    var depth: Int {
        switch self {
        case .always, .comparison: 0
        case .all(let parts), .any(let parts): 1 + (parts.map(\.depth).max() ?? 0)
        case .not(let part): 1 + part.depth
        }
    }
}

/// One comparison of a predicate string.
struct GivenComparison: Equatable, Sendable {
    enum Order: Equatable, Sendable { case less, lessOrEqual, greater, greaterOrEqual }

    enum Test: Equatable, Sendable {
        case exists
        case equals(GivenValue)
        case order(Order, GivenValue)
        case isIn([GivenValue])
        case beginsWith(String)
        case endsWith(String)
        case like(String)
        /// A list has the value, or a text has it within: the field's type decides.
        case contains(GivenValue)
        case listContains(GivenValue)
        case listContainsAny([GivenValue])
        case listContainsAll([GivenValue])
        case listMemberBeginsWith(String)
        case near(Location, metres: Double, isInclusive: Bool)
        case allWords(String)
        case anyWords(String)
    }

    var field: FilterField
    var test: Test
    var options: Predicate.StringOptions = []
    /// The offset of its beginning, in Unicode scalars from the start of the string.
    var offset: Int
}
