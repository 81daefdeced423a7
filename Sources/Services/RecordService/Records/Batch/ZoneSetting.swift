import CloudModel

/// The circumstances of a batch that do not change while it runs.
struct ZoneSetting {
    /// The database that stores the zone: the shared one is a view of private ones.
    var database: DatabaseScope
    var zone: ZoneID
    var environment: CloudEnvironment
    /// The user and the device that make the changes.
    var origin: Origin
    /// The time of the changes.
    var time: Timestamp
    /// The time by the service clock, for tombstones.
    var serviceTime: Timestamp
    /// Rights in a zone of another user; nil in the user's own.
    var access: SharedAccess?

    /// The rights of the user in the public database.
    var publicAccess: PublicAccess { PublicAccess(user: origin.user) }

    /// A custom zone of a private database: only there are shares.
    var canBeShared: Bool { database == .private && zone.name != .defaultZone }

    /// The stamp of a change.
    var stamp: RecordStamp { RecordStamp(timestamp: time, user: origin.user, device: origin.device) }

    /// The user for whom a record counts: the owner of its zone, in the public database its creator.
    func payer(of record: Record) -> UserRecordName { database == .public ? record.created.user : zone.owner }

    /// The user for whom a record counts that is about to be made or changed.
    func payer(before: Record?) -> UserRecordName {
        database == .public ? before?.created.user ?? origin.user : zone.owner
    }

    /// The user's rights on a record.
    /// - Parameter line: the record and those above it.
    func permission(for line: [RecordName]) -> Share.Permission { access?.permission(for: line) ?? .readWrite }

    /// The full name of a record of the zone.
    func id(_ name: RecordName) -> RecordID { RecordID(database: database, zone: zone, name: name) }
}
