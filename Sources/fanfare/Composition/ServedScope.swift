import Identity
import RecordService

/// The services over the store of one container's environment.
struct ServedScope: Sendable {
    let records: RecordService
    let identity: IdentityService

    init(
        _ records: RecordService, options: IdentityService.Options = IdentityService.Options(),
        provider: IdentityProvider? = nil
    ) {
        self.records = records
        identity = IdentityService(
            records.scope, store: records.store, options: options, provider: provider, now: records.now,
            serviceTime: records.serviceTime, sessionsEnded: records.sessionsEnded)
    }
}
