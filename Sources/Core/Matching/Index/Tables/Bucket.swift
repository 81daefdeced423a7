/// Keys of up to three facets; 0 where there is no facet.
typealias BucketKeys = (UInt32, UInt32, UInt32)

/// Subscriptions that are looked up together.
struct Bucket: BitwiseCopyable {
    /// 0 in a free bucket, whose `start` is the next free one.
    var shape: UInt32
    var keys: BucketKeys
    /// The place and number of its entries.
    var start: UInt32 = 0
    var count: UInt32 = 0
    /// The number of events that looked into it, the cost of being filed here.
    var hits: UInt32 = 0
    /// Its place among the buckets of a shape of parts of texts.
    var place: UInt32 = 0
}

/// A subscription in a bucket, with the first instruction of its program.
struct Entry: BitwiseCopyable {
    /// The ID in 27 bits, and flags that are asked before the program.
    var head: UInt32
    /// The place where the program goes on.
    var rest: UInt32
    var first: UInt64

    static let idMask: UInt32 = 1 << 27 - 1
    /// `Subscription.fires(on:)` has the last word.
    static let decided: UInt32 = 1 << 27
    /// One event may find it twice.
    static let repeated: UInt32 = 1 << 28
    /// The first of three bits, one for each kind of change.
    static let firesOnShift: UInt32 = 29

    /// The subscription's ID.
    @inline(__always) var id: UInt32 { head & Self.idMask }
    /// Returns true if a bit of the head is set.
    @inline(__always) func has(_ flags: UInt32) -> Bool { head & flags != 0 }
}
