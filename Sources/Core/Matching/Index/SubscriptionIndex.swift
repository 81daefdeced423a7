package import CloudModel

/// All subscriptions, arranged so that a change meets those few that may fire: exactly what `ReferenceMatcher` finds, at
/// a cost that grows far less than their number. `DESIGN.md` says how.
///
/// Subscriptions carry IDs that the caller chose: small ones, as arrays are indexed by them, below `idsMax`.
package struct SubscriptionIndex: ~Copyable {
    /// IDs are smaller than this.
    package static let idsMax = Int(Entry.idMask)

    /// The fields that subscriptions look at: a field's slot is behind those of the record itself, by its number.
    var fields = InternTable()
    var names = InternTable()
    /// What subscriptions look at in each slot: a bit for each variant, words, anything.
    var uses = Arena<UInt16>()
    /// Instructions and facets have 16 bits for a slot; further fields are left to the plain walk.
    let slotsMax: Int
    let own = OwnSpace()

    var partitions = Arena<Partition>()
    var partitionIDs: [PartitionKey: UInt32] = [:]
    var partitionKeys: [UInt32: PartitionKey] = [:]
    var freePartitions: [UInt32] = []

    var shapes = Arena<Shape>()
    var shapeIDs: [ShapeKey: UInt32] = [:]
    var freeShapes: [UInt32] = []
    /// The shapes of each tenancy by the slot of their first facet.
    var shapesBySlot: [SlotKey: [UInt32]] = [:]
    /// The buckets of each shape of parts of texts.
    var gramBuckets: [UInt32: [UInt32]] = [:]
    /// The thresholds in use of shapes of the kinds above and below, ascending.
    var boundaries: [UInt32: [UInt32]] = [:]

    var buckets = Arena<Bucket>()
    var freeBucket: UInt32 = 0
    var bucketTable = Arena<UInt32>()
    var bucketMask = 15
    var bucketCount = 0

    var postings = BlockArena(filler: Entry(head: 0, rest: 0, first: 0))
    var code = BlockArena<UInt64>(filler: 0)
    /// Rows of numbers, each behind its length.
    var sets = BlockArena<UInt32>(filler: 0)
    var places = BlockArena<UInt32>(filler: 0)
    var residents = Arena<Resident>()
    /// What was seen of keys that were crowded, and how many events came since they were looked for.
    var observed: [ObservedKey: Observation] = [:]
    var eventsSinceAdaptation = 0

    /// The fields whose changes subscriptions are found by, by their slots.
    var changedNames: [Int: FieldName] = [:]

    /// What programs cannot say, for the plain walk.
    var trees = NamedPool<Predicate>()
    /// Patterns of `LIKE`.
    var patterns = NamedPool<LikePattern>()
    /// Subscriptions that ask for more than a kind of change and a predicate.
    var decided: [UInt32: Subscription] = [:]
    /// How many of them the record before a change can make fire.
    var watchersBefore = 0

    /// How many subscriptions there are.
    package private(set) var count = 0

    /// An empty index.
    package init() { self.init(slotsMax: Int(UInt16.max) + 1) }

    /// An empty index that gives programs so many slots: tests ask for few.
    package init(slotsMax: Int) {
        self.slotsMax = min(slotsMax, Int(UInt16.max) + 1)
        _ = uses.append(0, times: EventSlots.firstFieldSlot)
        shapes.append(Shape(partition: 0, facets: (.none, .none, .none), next: 0, buckets: 0))
        buckets.append(Bucket(shape: 0, keys: (0, 0, 0), start: 0, count: 0, hits: 0))
        _ = bucketTable.append(0, times: 16)
    }

    /// Bytes that the index and its programs take, without what the tables of standard containers add for tenancies and
    /// shapes, of which there are few.
    package var bytes: Int {
        fields.bytes + names.bytes + uses.bytes + partitions.bytes + shapes.bytes + buckets.bytes + bucketTable.bytes
            + postings.bytes + code.bytes + sets.bytes + places.bytes + residents.bytes + own.space.bytes
    }

    /// Adds a subscription, or replaces the one of the same ID.
    package mutating func insert(_ subscription: Subscription, id: Int) {
        precondition((0..<Self.idsMax).contains(id), "a subscription's ID is 0 to \(Self.idsMax - 1)")
        remove(id: id)
        while residents.count <= id { residents.append(Resident()) }
        file(subscription, UInt32(id))
        count += 1
    }

    /// Removes the subscription of this ID, if there is one.
    package mutating func remove(id: Int) {
        guard id >= 0, id < residents.count, residents[id].owner != 0 else { return }
        unfile(UInt32(id))
        count -= 1
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

    /// The same in a space of the caller's, which several may do at the same time: the index stays as it is. What is seen on
    /// the way is in the space until it is noted.
    package func withMatches<Result>(
        of change: Change, in space: inout MatchingSpace, _ body: (UnsafeBufferPointer<UInt32>) throws -> Result
    ) rethrows -> Result {
        space.match(change, self)
        return try body(space.found.from(0))
    }

    /// Takes over what was seen in a space, by which paths are chosen.
    package mutating func note(_ space: inout MatchingSpace) {
        for place in 0..<space.looks.count where space.looks[place] < buckets.count {
            buckets.base[Int(space.looks[place])].hits &+= 1
        }
        for place in 0..<space.visits.count where space.visits[place] < partitions.count {
            partitions.base[Int(space.visits[place])].events &+= 1
        }
        eventsSinceAdaptation += space.events
        space.looks.removeAll()
        space.visits.removeAll()
        space.events = 0
    }
}

extension SubscriptionIndex {
    /// Whether nothing is held for any subscription.
    package var isVacant: Bool {
        bucketCount == 0 && shapeIDs.isEmpty && partitionIDs.isEmpty && boundaries.isEmpty && decided.isEmpty
            && trees.isEmpty && patterns.isEmpty && names.isEmpty && fields.isEmpty && changedNames.isEmpty
            && shapesBySlot.isEmpty && gramBuckets.isEmpty && watchersBefore == 0
    }
}
