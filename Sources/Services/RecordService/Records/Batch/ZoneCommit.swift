import CloudModel
import RecordStore

/// A commit's work on one zone: the commit, and the zone's rows that were read. Each part reads once, and writes go
/// through the part that has read.
struct ZoneCommit {
    let commit: Commit
    let setting: ZoneSetting
    /// The records of the zone.
    let records: ZoneRecords
    /// The shares of the zone.
    let shares: ZoneShares
    /// The types of records and their fields.
    let schema: SchemaInference
    /// Amounts that are counted for users.
    let usage: UsageLedger
    /// Seals encrypted fields.
    let seals: FieldSeals

    init(_ commit: Commit, _ setting: ZoneSetting, quotas: UsageQuotas, seals: FieldSeals) {
        self.commit = commit
        self.setting = setting
        records = ZoneRecords(commit.transaction, setting)
        shares = ZoneShares(commit.transaction, setting.zone, canBeShared: setting.canBeShared)
        schema = SchemaInference(commit.transaction, environment: setting.environment)
        usage = UsageLedger(commit.transaction, quotas)
        self.seals = seals
    }

    var transaction: any StoreTransaction { commit.transaction }
}

extension RecordService {
    /// The work of a commit on a zone.
    func zone(
        _ zone: ZoneID, in database: DatabaseScope, of origin: Origin, access: SharedAccess? = nil, _ commit: Commit
    ) -> ZoneCommit {
        let setting = ZoneSetting(
            database: database, zone: zone, environment: scope.environment, origin: origin, time: commit.time,
            serviceTime: commit.serviceTime, access: access)
        return ZoneCommit(commit, setting, quotas: options.quotas, seals: seals)
    }
}
