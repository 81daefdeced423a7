package import Identity
package import RecordService

extension IdentityService {
    /// Identities in the store of a record service, composed as the program does it.
    package convenience init(
        beside records: RecordService, options: Options = Options(), provider: IdentityProvider? = nil
    ) {
        self.init(
            records.scope, store: records.store, options: options, provider: provider, now: records.now,
            serviceTime: records.serviceTime, sessionsEnded: records.sessionsEnded)
    }
}
