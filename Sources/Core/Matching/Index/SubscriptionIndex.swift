package import CloudModel

/// All subscriptions, arranged so that a change meets the few that may fire: exactly the result of `ReferenceMatcher`,
/// at a cost that grows far less than their number. `DESIGN.md` says how.
///
/// The caller chooses the IDs of subscriptions: small ones, as arrays are indexed by them, below `idsMax`.
package struct SubscriptionIndex: ~Copyable {
    /// IDs are smaller than this.
    package static let idsMax = Int(Entry.idMask)

    /// Slots, operands, sets, patterns and trees by their numbers.
    var vocabulary: Vocabulary
    /// The owners, zones and types of records that subscriptions watch.
    var tenancies = Tenancies()
    /// The dimensions in which subscriptions of a tenancy are filed.
    var shapes = ShapeTable()
    /// The subscriptions under each key of a shape.
    var buckets = BucketTable()
    /// The programs that decide whether a subscription fires on an event that found it.
    var programs = ProgramStore()
    /// The places of each subscription.
    var subscriptions = FiledSubscriptions()
    /// The likelihoods seen of keys that were crowded.
    var observations = Observations()
    private let own = OwnSpace()

    /// The number of subscriptions.
    package var count: Int { subscriptions.count }

    /// An empty index.
    package init() { self.init(slotsMax: FieldSlots.slotsMax) }

    /// An empty index that gives programs so many slots: tests ask for few.
    package init(slotsMax: Int) { vocabulary = Vocabulary(slotsMax: slotsMax) }

    /// Returns true if nothing is held for any subscription.
    package var isVacant: Bool {
        vocabulary.isEmpty && tenancies.isEmpty && shapes.isEmpty && buckets.isEmpty && subscriptions.isEmpty
    }

    /// Bytes that the index and its programs take, without what the tables of standard containers add for tenancies and
    /// shapes, of which there are few.
    package var bytes: Int {
        vocabulary.bytes + tenancies.bytes + shapes.bytes + buckets.bytes + programs.bytes + subscriptions.bytes
            + own.space.bytes
    }

    /// Adds a subscription, or replaces the one of the same ID.
    package mutating func insert(_ subscription: Subscription, id: Int) {
        precondition((0..<Self.idsMax).contains(id), "a subscription's ID is 0 to \(Self.idsMax - 1)")
        remove(id: id)
        file(subscription, UInt32(id))
    }

    /// Removes the subscription of this ID, if there is one.
    package mutating func remove(id: Int) {
        if subscriptions.contains(id) { unfile(UInt32(id)) }
    }

    /// The IDs of the subscriptions that fire on the change, ascending.
    package mutating func matches(of change: Change) -> [Int] {
        withMatches(of: change) { $0.map(Int.init) }.sorted()
    }

    /// Hands out the IDs of the subscriptions that fire on the change, each once, in no order. They are good within the
    /// closure; nothing is allocated for them.
    package mutating func withMatches<Result>(
        of change: Change, _ body: (UnsafeBufferPointer<UInt32>) throws -> Result
    ) rethrows -> Result {
        let own = own
        own.space.match(change, self)
        note(&own.space)
        return try body(own.space.found.from(0))
    }

    /// As `withMatches`, in a space of the caller, concurrently: the index does not change. Observations stay in the
    /// space until they are noted.
    package func withMatches<Result>(
        of change: Change, in space: inout MatchingSpace, _ body: (UnsafeBufferPointer<UInt32>) throws -> Result
    ) rethrows -> Result {
        space.match(change, self)
        return try body(space.found.from(0))
    }

    /// Takes over the observations of a space, by which paths are chosen.
    package mutating func note(_ space: inout MatchingSpace) {
        space.sightings.hand(to: &buckets, &tenancies, &observations)
    }
}
