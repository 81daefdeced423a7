import CloudModel

/// The way in which both sides of an equality are folded before they get their numbers.
enum Variant: UInt8 {
    case exact = 0
    case caseless = 1
    case markless = 2
    case caselessMarkless = 3
    /// References within the record's own zone, by name alone.
    case local = 4

    static let count = 5

    init(_ options: Predicate.StringOptions) {
        self = Variant(rawValue: UInt8(truncatingIfNeeded: options.rawValue & 3)) ?? .exact
    }

    var options: Predicate.StringOptions { .init(rawValue: UInt32(rawValue & 3)) }
}
