/// A zone as `zones/*` and `changes/database` answer it.
package struct Zone: Hashable, Sendable {
    /// Its name and owner.
    package var id: ZoneID
    /// Where the zone's change feed stands; nil for default zones, which have none.
    package var syncToken: String?
    /// Whether requests can be atomic there: in custom zones.
    package var isAtomic: Bool
    /// Whether it is gone.
    package var isDeleted: Bool

    package init(id: ZoneID, syncToken: String?, isAtomic: Bool, isDeleted: Bool = false) {
        self.id = id
        self.syncToken = syncToken
        self.isAtomic = isAtomic
        self.isDeleted = isDeleted
    }
}

/// What came of one operation or lookup of a zone.
package enum ZoneResult: Hashable, Sendable {
    case zone(Zone)
    case failed(GivenZone, CloudError)
}

/// One entry of `zones/modify`.
package struct ZoneOperation: Hashable, Sendable {
    /// What to do (spec section 5.8).
    package enum Kind: String, Sendable, CaseIterable {
        case create, delete
    }

    /// What to do.
    package var kind: Kind
    /// With which zone.
    package var zone: GivenZone

    package init(kind: Kind, zone: GivenZone) {
        self.kind = kind
        self.zone = zone
    }
}
