/// Counts of the buckets and tenancies that events looked into, for the index to take over by and by.
struct Sightings: ~Copyable {
    /// Lookups and events after which they are passed to the index.
    private static let looksMax = 4096
    private static let eventsMax = 256

    private var looks = Arena<UInt32>()
    private var visits = Arena<UInt32>()
    private var events = 0

    /// Returns true if enough was seen to pass it to the index.
    var areMany: Bool { looks.count > Self.looksMax || events >= Self.eventsMax }
    /// Bytes that the counts take.
    var bytes: Int { looks.bytes + visits.bytes }

    /// Counts an event.
    mutating func addEvent() { events += 1 }

    /// Counts a look into a bucket.
    @inline(__always) mutating func addLook(_ bucket: UInt32) { looks.append(bucket) }

    /// Counts an event that concerns a tenancy.
    mutating func addVisit(_ tenancy: UInt32) { visits.append(tenancy) }

    /// Hands all counts to those who keep them, and forgets them.
    mutating func hand(
        to buckets: inout BucketTable, _ tenancies: inout Tenancies, _ observations: inout Observations
    ) {
        for place in 0..<looks.count { buckets.noteLook(looks[place]) }
        for place in 0..<visits.count { tenancies.noteEvent(visits[place]) }
        observations.noteEvents(events)
        looks.removeAll()
        visits.removeAll()
        events = 0
    }
}
