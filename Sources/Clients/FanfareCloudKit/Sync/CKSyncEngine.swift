import Foundation
import Timing

/// Keeps an app's records and a database in sync: it calls a delegate with remote changes, and sends the changes that
/// the app adds. CloudKit's engine, over the same change feeds.
///
/// It does one thing at a time. Without `automaticallySync` it works only during `fetchChanges` and `sendChanges`.
public final class CKSyncEngine: Sendable {
    /// The database.
    public let database: CKDatabase
    /// The changes that were not sent yet, and the places that were read to.
    public let state: State
    let delegate: any CKSyncEngineDelegate
    private let line = SyncLine()
    private let schedule = SyncSchedule()

    /// An engine that goes on where the state of the configuration ended.
    public init(_ configuration: Configuration) {
        database = configuration.database
        delegate = configuration.delegate
        state = State(configuration.stateSerialization)
        let isAutomatic = configuration.automaticallySync
        state.whenChanged { [weak self] isMore in
            self?.reportStateSoon()
            if isAutomatic, isMore { self?.sendSoon() }
        }
        SyncReplacement.note(self)
        guard isAutomatic else { return }
        let id = configuration.subscriptionID ?? "fanfare-sync-engine"
        let database = database
        let task = Task { [weak self] in
            let backoff = Collected(SyncBackoff())
            while !Task.isCancelled {
                do {
                    try await Self.follow(database, id) { [weak self] in
                        guard let self else { throw CancellationError() }
                        defer { sendSoon() }
                        try await fetch(FetchChangesOptions(), .scheduled)
                        backoff.update { $0.reset() }
                    }
                } catch {
                    guard self != nil else { return }
                    let pause = backoff.updated { backoff in
                        var generator = SystemRandomNumberGenerator()
                        return backoff.pause(after: CKError(error), using: &generator)
                    }
                    try? await Time.sleep(for: pause)
                }
            }
        }
        line.keep(task)
    }

    /// Fetches the changes in the database, and calls the delegate with them.
    /// - Throws: `CKError`, when all events were handled, which stay valid: `partialFailure` with the errors by zone and
    ///   record, where the files of a record could not be fetched; otherwise that of the network, the account or the
    ///   request, with which the fetch ended.
    public func fetchChanges(_ options: FetchChangesOptions = FetchChangesOptions()) async throws {
        try await fetch(options, .manual)
    }

    /// Sends the pending changes, in the batches that the delegate gives. A change that is added meanwhile, such as a
    /// failed one that the delegate adds again, waits for the next send; no record is sent twice.
    ///
    /// Each failed change is in an event. It is pending no more, and the delegate decides, unless it may succeed
    /// without help of the app: after `networkFailure`, `networkUnavailable`, `serviceUnavailable`,
    /// `requestRateLimited`, `zoneBusy`, `notAuthenticated`, `operationCancelled` and `serverResponseLost` it stays
    /// pending, and the send ends.
    /// - Throws: `CKError`, when all events were handled: `partialFailure` with the errors by zone and record where
    ///   changes failed; that of the network, the account or the request where a whole request failed.
    public func sendChanges(_ options: SendChangesOptions = SendChangesOptions()) async throws {
        try await send(options, .manual)
    }

    /// Cancels the current operation.
    public func cancelOperations() async { await line.cancel() }

    /// Sends the pending changes soon, for an engine that syncs by itself.
    private func sendSoon() {
        Task { [weak self, schedule] in
            await schedule.request { [weak self] in
                try await self?.send(SendChangesOptions(), .scheduled)
            } hasPending: { [weak self] in
                self?.state.hasPending == true
            }
        }
    }

    private func fetch(_ options: FetchChangesOptions, _ reason: SyncReason) async throws {
        let other = try await whenAccountIsKnown { [self] in
            let given = FetchChangesContext(reason: reason, options: options)
            let options = await delegate.nextFetchChangesOptions(given, syncEngine: self)
            let context = FetchChangesContext(reason: reason, options: options)
            try await SyncFetch(engine: self, given: given, context: context).run()
        }
        try await other?.fetch(options, reason)
    }

    private func send(_ options: SendChangesOptions, _ reason: SyncReason) async throws {
        let other = try await whenAccountIsKnown { [self] in
            try await SyncSend(engine: self, context: SendChangesContext(reason: reason, options: options)).run()
        }
        try await other?.send(options, reason)
    }

    /// Looks at the account, and does the work in turn.
    /// - Returns: the engine to work with instead, where the app has replaced this one before its first sync: nothing was
    ///   done then, and the changes that were added to this engine are added to that one.
    private func whenAccountIsKnown(_ work: @escaping @Sendable () async throws -> Void) async throws -> CKSyncEngine? {
        let other = Collected<CKSyncEngine?>(nil)
        try await line.run { [self] in
            let isFirst = state.user == nil
            try await SyncAccount(engine: self).check()
            guard isFirst, let engine = SyncReplacement.engine(replacing: self) else { return try await work() }
            state.move(to: engine.state)
            other.update { $0 = engine }
        }
        return other.value
    }

    /// Calls the delegate with an event.
    func report(_ event: Event) async { await delegate.handleEvent(event, syncEngine: self) }

    /// Calls the delegate with the state, which it stores together with the events before it.
    func reportState() async { await report(.stateUpdate(Event.StateUpdate(stateSerialization: state.serialization))) }

    /// Calls the delegate with the state that the app has changed, after the current operation; once for all changes
    /// until then.
    private func reportStateSoon() {
        guard state.mayReport() else { return }
        Task { [weak self, line] in
            try? await line.run { [weak self] in
                self?.state.hasReported()
                await self?.reportState()
            }
        }
    }

    /// Syncs once, and again whenever something changed.
    private static func follow(
        _ database: CKDatabase, _ id: String, _ sync: @Sendable () async throws -> Void
    ) async throws {
        try await sync()
        let subscription = CKDatabaseSubscription(subscriptionID: id)
        subscription.notificationInfo = CKSubscription.NotificationInfo(shouldSendContentAvailable: true)
        try await database.save(subscription)
        for try await _ in database.notifications() { try await sync() }
    }
}
