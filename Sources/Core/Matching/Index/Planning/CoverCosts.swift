/// Estimates of how likely an event looks under a key, until the key was observed.
///
/// They were set when the index was written, from how selective the kinds of keys are, and not measured: only their
/// order matters. Observations replace them where data differ (`Observations`, `CoverStatistics.likelihood`), and
/// subscriptions in crowded buckets are filed again (`SubscriptionIndex.crowded`).
enum CoverCosts {
    /// A field's presence: most records of a type have the fields that subscriptions of it test.
    static let present = 0.9
    /// A threshold: about half of the events lie on its side, and each of them walks further thresholds.
    static let threshold = 0.6
    /// A changed field: an update changes a few of a record's fields, but every creation and deletion looks there too.
    static let changed = 0.25
    /// The cubes around a circle, which are small against the sphere.
    static let near = 0.02

    /// A prefix: a few first letters are common, and texts with longer ones in common are rare.
    static func begins(length: Int) -> Double { length < 3 ? 0.05 : 0.005 }
    /// A part of a text, at the least: a text has it at any of its places, which are more than one.
    static func holds(length: Int) -> Double { length < 3 ? 0.1 : 0.01 }

    /// An interval in cells of 2^level ordinals: the wider the cells, the more numbers share one. Ordinals are steps of
    /// 1/65,536, so that an integer has a cell of its own up to level 16.
    static func cell(level: Int) -> Double { min(0.5, 0.001 * Double(level)) }

    /// A key that is no operand of the table, of which nobody counts the holders.
    static let uncounted = 0.001
    /// The members of a list, and the words of a text, that one event looks under.
    static let keysPerList = 4.0

    /// A value that some subscriptions of a tenancy ask for: a value that many ask for is in many records. A
    /// subscription's bucket and its program both use an operand, so it counts about twice; the summand bounds the
    /// weight of a tenancy's first subscriptions.
    static func value(holders: Int, subscriptions: UInt32) -> Double {
        max(0.0005, Double(holders) / Double(2 * subscriptions + 64))
    }

    /// Events of a tenancy after which the looks into its buckets say more than these estimates.
    static let eventsMin: UInt32 = 256
}
