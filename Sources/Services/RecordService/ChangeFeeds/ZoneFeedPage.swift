package import CloudModel

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
    /// True if there is more already.
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

    /// The records of a page, as far as they are there.
    package var records: [Record] {
        guard case .page(let page) = self else { return [] }
        return page.changes.compactMap { if case .saved(let record) = $0 { record } else { nil } }
    }
}
