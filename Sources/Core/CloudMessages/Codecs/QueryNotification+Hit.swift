extension QueryNotification {
    /// The notification that a hit of a change makes, without a badge.
    package init(_ hit: Hit, of hits: HitsMessage) {
        self.init(
            database: hit.database, subscription: hit.subscription, change: hits.change, reason: hits.kind,
            recordType: hits.recordType, recordName: hits.recordName, zone: hits.zone, fields: hit.fields,
            alertBody: hit.alertBody, appearance: hit.appearance, kind: hit.kind)
        isBackfilled = hits.backfill != 0
        backfill = isBackfilled ? hit.created : 0
    }
}
