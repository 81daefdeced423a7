import CloudModel

/// The index's knowledge of one subscription, besides its entries.
struct FiledSubscription: BitwiseCopyable {
    /// Its bucket, or the row of its buckets when they are several.
    var place: UInt32 = 0
    /// The place where its program goes on after the first word.
    var code: UInt32 = 0
    var placeCount: UInt16 = 0
    var codeCount: UInt16 = 0
    /// The number of its user; 0 for an ID that is not in use.
    var owner: UInt32 = 0
    var tenancy: UInt32 = 0
}

/// All subscriptions by their IDs: the places they are filed at, and those that ask for more than their program says.
struct FiledSubscriptions: ~Copyable {
    private var filed = Arena<FiledSubscription>()
    /// Rows of buckets' numbers.
    private var places: BlockArena<UInt32>
    /// Subscriptions that ask for more than a kind of change and a predicate.
    private var decided: [UInt32: Subscription] = [:]
    /// The number of those that the record before a change can make fire.
    private(set) var watchersBefore = 0
    /// The number of subscriptions.
    private(set) var count = 0

    init() { places = BlockArena(filler: 0) }

    func write(to writer: inout ImageWriter) {
        filed.write(to: &writer)
        places.write(to: &writer)
        writer.write(count)
    }

    /// The subscriptions of an image, in which is not what some of them ask for besides their programs.
    init(from reader: inout ImageReader) throws {
        self.init()
        filed = try Arena(from: &reader)
        places = try BlockArena(from: &reader, filler: 0)
        count = try reader.read()
    }

    /// Returns true if nothing is kept for any subscription.
    var isEmpty: Bool { count == 0 && decided.isEmpty && watchersBefore == 0 }
    /// Bytes of the subscriptions' places.
    var bytes: Int { filed.bytes + places.bytes }

    // MARK: Asking

    /// One more than the highest ID that was ever in use.
    @inline(__always) var idsEnd: Int { filed.count }

    /// Returns true if there is a subscription of an ID.
    func contains(_ id: Int) -> Bool { id >= 0 && id < filed.count && filed[id].owner != 0 }

    @inline(__always) subscript(id: UInt32) -> FiledSubscription { filed.base[Int(id)] }

    /// One of the buckets of a subscription.
    func bucket(_ index: Int, of subscription: FiledSubscription) -> Int {
        Int(subscription.placeCount == 1 ? subscription.place : places.base[Int(subscription.place) + index])
    }

    /// The subscriptions whose programs do not say all that they ask for.
    var decidedIDs: [UInt32] { Array(decided.keys) }

    /// The subscription of an ID, if its program does not say all that it asks for.
    func decided(_ id: UInt32) -> Subscription? { decided[id] }

    // MARK: Changing

    /// Keeps the numbers of a subscription's buckets.
    mutating func setBuckets(_ buckets: [UInt32], of subscription: inout FiledSubscription) {
        subscription.placeCount = UInt16(buckets.count)
        if buckets.count == 1 { subscription.place = buckets[0] }
        guard buckets.count > 1 else { return }
        subscription.place = places.allocate(buckets.count)
        for (index, bucket) in buckets.enumerated() { places.base[Int(subscription.place) + index] = bucket }
    }

    /// Adds a subscription under an ID that is free.
    mutating func add(_ subscription: FiledSubscription, _ id: UInt32) {
        while filed.count <= id { filed.append(FiledSubscription()) }
        filed[Int(id)] = subscription
        count += 1
    }

    /// Keeps a subscription whose program does not say all that it asks for.
    mutating func addDecided(_ subscription: Subscription, _ id: UInt32) {
        decided[id] = subscription
        if subscription.watchesRecordBefore { watchersBefore += 1 }
    }

    /// Removes the subscription of an ID.
    mutating func remove(_ id: UInt32) {
        let subscription = self[id]
        if subscription.placeCount > 1 {
            places.release(subscription.place, count: Int(subscription.placeCount))
        }
        // Few ask for more than their program says: an ID is not hashed for the others.
        if !decided.isEmpty, decided.removeValue(forKey: id)?.watchesRecordBefore == true { watchersBefore -= 1 }
        filed[Int(id)] = FiledSubscription()
        count -= 1
    }
}
