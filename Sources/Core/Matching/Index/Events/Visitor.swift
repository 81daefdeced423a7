import CloudModel

/// The record at hand, as it visits tenancies and shapes.
struct Visitor {
    var change: Change
    var record: Record
    /// True for the record before a change, when there is one after.
    var isOfBefore = false
    /// The bits of an entry's head of which one has to be set.
    var kinds: UInt32
    /// The user who alone may read the record, as 0 one without subscriptions; nil when all may.
    var creator: UInt32?
}
