package import CloudModel

/// All subscriptions, arranged so that a change meets those few that may fire: exactly what `ReferenceMatcher` finds, at
/// a cost that grows far less than their number. `DESIGN.md` says how.
///
/// Subscriptions carry IDs that the caller chose: small ones, as arrays are indexed by them, below `idsMax`.
package struct SubscriptionIndex: ~Copyable {
    /// IDs are smaller than this.
    package static let idsMax = Int(Entry.idMask)

    var fields = InternTable()
    var names = InternTable()
    var event = EventSlots()

    var partitions = Arena<Partition>()
    var partitionIDs: [PartitionKey: UInt32] = [:]
    var partitionKeys: [UInt32: PartitionKey] = [:]
    var freePartitions: [UInt32] = []

    var shapes = Arena<Shape>()
    var shapeIDs: [ShapeKey: UInt32] = [:]
    var freeShapes: [UInt32] = []
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
    /// For each ID the last event that found it, of those that can be found twice.
    var marks = Arena<UInt32>()
    var mark: UInt32 = 0

    /// What was seen of keys that were crowded, and how many events came since they were looked for.
    var observed: [ObservedKey: Observation] = [:]
    var eventsSinceAdaptation = 0

    /// The fields whose changes subscriptions are found by, by their slots.
    var changedNames: [Int: FieldName] = [:]

    /// What programs cannot say, for the plain walk.
    var trees = Pool<Predicate>()
    /// Patterns of `LIKE`.
    var patterns = Pool<LikePattern>()
    /// Subscriptions that ask for more than a kind of change and a predicate.
    var decided: [UInt32: Subscription] = [:]
    /// How many of them the record before a change can make fire.
    var watchersBefore = 0

    var found = Arena<UInt32>()
    /// Entries that satisfy the record after, where the one before matters too.
    var pending = Arena<Entry>()
    var hashes = Arena<UInt32>()

    /// How many subscriptions there are.
    package private(set) var count = 0

    /// An empty index.
    package init() {
        shapes.append(Shape(partition: 0, facets: (.none, .none, .none), next: 0, buckets: 0))
        buckets.append(Bucket(shape: 0, keys: (0, 0, 0), start: 0, count: 0, hits: 0))
        _ = bucketTable.append(0, times: 16)
    }

    /// Bytes that the index and its programs take, without what the tables of standard containers add for tenancies and
    /// shapes, of which there are few.
    package var bytes: Int {
        fields.bytes + names.bytes + event.memory + partitions.bytes + shapes.bytes + buckets.bytes + bucketTable.bytes
            + postings.bytes + code.bytes + sets.bytes + places.bytes + residents.bytes + marks.bytes + found.bytes
    }

    /// Adds a subscription, or replaces the one of the same ID.
    package mutating func insert(_ subscription: Subscription, id: Int) {
        precondition((0..<Self.idsMax).contains(id), "a subscription's ID is 0 to \(Self.idsMax - 1)")
        remove(id: id)
        while residents.count <= id {
            residents.append(Resident())
            marks.append(0)
        }
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
        match(change)
        return try body(UnsafeBufferPointer(start: found.base, count: found.count))
    }
}

extension SubscriptionIndex {
    /// Whether nothing is held for any subscription.
    var isVacant: Bool {
        bucketCount == 0 && shapeIDs.isEmpty && partitionIDs.isEmpty && boundaries.isEmpty && decided.isEmpty
            && trees.isEmpty && patterns.isEmpty && names.isEmpty
            && watchersBefore == 0
    }
}
