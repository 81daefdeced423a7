import Foundation

/// Keeps an app's records and a database's the same: tells a delegate what changed there, and sends what the app says has
/// changed here. CloudKit's engine, over the same change feeds.
///
/// One thing is done at a time. Without `automaticallySync`, nothing happens but by `fetchChanges` and `sendChanges`.
public final class CKSyncEngine: Sendable {
    /// The database.
    public let database: CKDatabase
    /// The changes that were not sent yet, and the places that were read to.
    public let state: State
    let delegate: any CKSyncEngineDelegate
    private let line = SyncLine()

    /// An engine that goes on where the state of the configuration ended.
    public init(_ configuration: Configuration) {
        database = configuration.database
        delegate = configuration.delegate
        state = State(configuration.stateSerialization)
        let isAutomatic = configuration.automaticallySync
        state.whenChanged { [weak self] isMore in
            self?.tellStateSoon()
            if isAutomatic, isMore { Task { try? await self?.send(SendChangesOptions(), .scheduled) } }
        }
        guard isAutomatic else { return }
        let id = configuration.subscriptionID ?? "fanfare-sync-engine"
        let database = database
        let task = Task { [weak self] in
            while !Task.isCancelled {
                do {
                    try await Self.follow(database, id) { [weak self] in
                        guard let self else { throw CancellationError() }
                        try await self.fetch(FetchChangesOptions(), .scheduled)
                        try await self.send(SendChangesOptions(), .scheduled)
                    }
                } catch {
                    guard CKError(error).isTransient else { return }
                    try? await Task.sleep(for: .seconds(5))
                }
            }
        }
        line.keep(task)
    }

    /// Fetches what changed in the database, and tells the delegate of it.
    /// - Throws: `CKError`; what was told before stays told.
    public func fetchChanges(_ options: FetchChangesOptions = FetchChangesOptions()) async throws {
        try await fetch(options, .manual)
    }

    /// Sends what the app says has changed, in the batches that the delegate gives.
    /// - Throws: `CKError` where the service could not be reached; what could not be sent stays to be sent.
    public func sendChanges(_ options: SendChangesOptions = SendChangesOptions()) async throws {
        try await send(options, .manual)
    }

    /// Ends what is being done.
    public func cancelOperations() async { await line.cancel() }

    private func fetch(_ options: FetchChangesOptions, _ reason: SyncReason) async throws {
        try await line.run { [self] in
            try await SyncAccount(engine: self).check()
            let given = FetchChangesContext(reason: reason, options: options)
            let options = await delegate.nextFetchChangesOptions(given, syncEngine: self)
            try await SyncFetch(engine: self, context: FetchChangesContext(reason: reason, options: options)).run()
        }
    }

    private func send(_ options: SendChangesOptions, _ reason: SyncReason) async throws {
        try await line.run { [self] in
            try await SyncAccount(engine: self).check()
            try await SyncSend(engine: self, context: SendChangesContext(reason: reason, options: options)).run()
        }
    }

    /// Tells the delegate of an event.
    func tell(_ event: Event) async { await delegate.handleEvent(event, syncEngine: self) }

    /// Tells the delegate of the state, which it keeps with what it was told before.
    func tellState() async { await tell(.stateUpdate(Event.StateUpdate(stateSerialization: state.serialization))) }

    /// Tells the delegate of the state that the app has changed, after what is being done; once for all changes until then.
    private func tellStateSoon() {
        guard state.mayTell() else { return }
        Task { [weak self, line] in
            try? await line.run { [weak self] in
                self?.state.isTold()
                await self?.tellState()
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
