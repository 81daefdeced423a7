/// A zone as `zones/*` and `changes/database` answer it.
package struct Zone: Hashable, Sendable {
    /// Its name and owner.
    package var id: ZoneID
    /// The end of the zone's change feed, as a token; nil for default zones, which have none.
    package var syncToken: String?
    /// True if requests can be atomic there: in custom zones.
    package var isAtomic: Bool
    /// True if it is gone.
    package var isDeleted: Bool
    /// The share of the whole zone, if the reader may read it.
    package var share: RecordName?

    package init(id: ZoneID, syncToken: String?, isAtomic: Bool, isDeleted: Bool = false, share: RecordName? = nil) {
        self.id = id
        self.syncToken = syncToken
        self.isAtomic = isAtomic
        self.isDeleted = isDeleted
        self.share = share
    }
}

/// The result of one operation on a zone, or of one lookup.
package enum ZoneResult: Hashable, Sendable {
    case zone(Zone)
    case failed(GivenZone, CloudError)
}

/// One entry of `zones/modify`.
package struct ZoneOperation: Hashable, Sendable {
    /// The kinds of operations (docs/cloudkit.md#zones).
    package enum Kind: String, Sendable, CaseIterable {
        case create, delete
    }

    /// The kind of the operation.
    package var kind: Kind
    /// The zone to make or delete.
    package var zone: GivenZone

    package init(kind: Kind, zone: GivenZone) {
        self.kind = kind
        self.zone = zone
    }
}
