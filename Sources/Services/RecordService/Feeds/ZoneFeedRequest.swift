package import CloudModel

/// A question to one zone's change feed.
package struct ZoneFeedRequest: Hashable, Sendable {
    /// The zone, as the request names it.
    package var zone: GivenZone
    /// The token of the last page; nil is the start.
    package var syncToken: String?
    /// Records in the page at most, 1 to `Limits.feedPageMax`.
    package var limit: Int
    /// The types of records that are wanted; nil is all.
    package var recordTypes: [RecordType]?
    /// A Boolean that asks for the newest first.
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
    /// The token to ask with next.
    package var syncToken: String
    /// A Boolean that tells whether there is more already.
    package var moreComing: Bool

    package init(zone: ZoneID, changes: [RecordChange], syncToken: String, moreComing: Bool) {
        self.zone = zone
        self.changes = changes
        self.syncToken = syncToken
        self.moreComing = moreComing
    }
}

/// The result for one zone of a `changes/zone` request.
package enum ZoneFeedResult: Hashable, Sendable {
    case page(ZoneFeedPage)
    case failed(GivenZone, CloudError)
}
