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
    /// Bytes of a value that the page has at most, 1 to `Limits.recordBytesMax`; longer ones come cut, and the page counts
    /// cut values. Nil leaves values whole.
    package var valueBytesMax: Int?

    package init(
        zone: GivenZone, syncToken: String? = nil, limit: Int = Limits.feedPageMax, recordTypes: [RecordType]? = nil,
        isReverse: Bool = false, valueBytesMax: Int? = nil
    ) {
        self.zone = zone
        self.syncToken = syncToken
        self.limit = limit
        self.recordTypes = recordTypes
        self.isReverse = isReverse
        self.valueBytesMax = valueBytesMax
    }
}
