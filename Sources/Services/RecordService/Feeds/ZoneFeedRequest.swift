package import CloudModel

/// What is asked of one zone's change feed.
package struct ZoneFeedRequest: Hashable, Sendable {
    /// The zone, as the request names it.
    package var zone: GivenZone
    /// From the last page; nil is from the start.
    package var syncToken: String?
    /// Records in the page at most, 1 to `Limits.feedPageMax`.
    package var limit: Int
    /// The types of records that are wanted; nil is all.
    package var recordTypes: [RecordType]?
    /// Whether the newest comes first.
    package var isReverse: Bool

    package init(
        zone: GivenZone, syncToken: String? = nil, limit: Int = Limits.feedPageMax, recordTypes: [RecordType]? = nil,
        isReverse: Bool = false
    ) {
        self.zone = zone
        self.syncToken = syncToken
        self.limit = limit
        self.recordTypes = recordTypes
        self.isReverse = isReverse
    }
}

/// The last change of a record.
package enum RecordChange: Hashable, Sendable {
    case saved(Record)
    case deleted(RecordName, RecordType)
}

/// A page of one zone's change feed.
package struct ZoneFeedPage: Hashable, Sendable {
    /// The zone that was found.
    package var zone: ZoneID
    /// Each record once, by its last change.
    package var changes: [RecordChange]
    /// What to ask with next.
    package var syncToken: String
    /// Whether there is more already.
    package var moreComing: Bool

    package init(zone: ZoneID, changes: [RecordChange], syncToken: String, moreComing: Bool) {
        self.zone = zone
        self.changes = changes
        self.syncToken = syncToken
        self.moreComing = moreComing
    }
}

/// What came of one zone of a `changes/zone` request.
package enum ZoneFeedResult: Hashable, Sendable {
    case page(ZoneFeedPage)
    case failed(GivenZone, CloudError)
}
