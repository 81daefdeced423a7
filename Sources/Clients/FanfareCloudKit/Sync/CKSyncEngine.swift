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
        guard configuration.automaticallySync else { return }
        let id = configuration.subscriptionID ?? "fanfare-sync-engine"
        let database = database
        let task = Task { [weak self] in
            while !Task.isCancelled {
                do {
                    try await Self.follow(database, id) { [weak self] in
                        guard let self else { throw CancellationError() }
                        try await self.fetchChanges()
                        try await self.sendChanges()
                    }
                } catch {
                    guard CKError(error).isTransient else { return }
                    try? await Task.sleep(for: .seconds(5))
                }
            }
        }
        state.whenAdded { [weak self] in Task { try? await self?.sendChanges() } }
        line.keep(task)
    }

    /// Fetches what changed in the database, and tells the delegate of it.
    /// - Throws: `CKError`; what was told before stays told.
    public func fetchChanges(_ options: FetchChangesOptions = FetchChangesOptions()) async throws {
        try await line.run { [self] in try await SyncFetch(engine: self, scope: options.scope).run() }
    }

    /// Sends what the app says has changed, in the batches that the delegate gives.
    /// - Throws: `CKError` where the service could not be reached; what could not be sent stays to be sent.
    public func sendChanges(_ options: SendChangesOptions = SendChangesOptions()) async throws {
        try await line.run { [self] in try await SyncSend(engine: self, scope: options.scope).run() }
    }

    /// Ends what is being done.
    public func cancelOperations() async { await line.cancel() }

    /// Tells the delegate of an event.
    func tell(_ event: Event) async { await delegate.handleEvent(event, syncEngine: self) }

    /// Tells the delegate of the state, which it keeps with what it was told before.
    func tellState() async { await tell(.stateUpdate(Event.StateUpdate(stateSerialization: state.serialization))) }

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

/// The app's side of a sync engine.
public protocol CKSyncEngineDelegate: AnyObject, Sendable {
    /// Takes what has happened. What an event tells has to be kept before this returns: the state after it leaves it out.
    func handleEvent(_ event: CKSyncEngine.Event, syncEngine: CKSyncEngine) async

    /// The next changes to send; nil when there are no more.
    func nextRecordZoneChangeBatch(
        _ context: CKSyncEngine.SendChangesContext, syncEngine: CKSyncEngine
    ) async -> CKSyncEngine.RecordZoneChangeBatch?
}

/// Does one thing after the other.
actor SyncLine {
    private var last: Task<Void, any Error>?
    private nonisolated let following = Collected<Task<Void, Never>?>(nil)

    deinit { following.value?.cancel() }

    nonisolated func keep(_ task: Task<Void, Never>) { following.update { $0 = task } }

    func run(_ work: @escaping @Sendable () async throws -> Void) async throws {
        let previous = last
        let task = Task {
            _ = await previous?.result
            try await work()
        }
        last = task
        do {
            try await withTaskCancellationHandler {
                try await task.value
            } onCancel: {
                task.cancel()
            }
        } catch { throw CKError(error) }
    }

    func cancel() async {
        last?.cancel()
        _ = await last?.result
    }
}
