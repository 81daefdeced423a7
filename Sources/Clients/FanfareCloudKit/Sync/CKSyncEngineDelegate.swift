/// The app's side of a sync engine. Its functions are called one after the other. A call of the engine's `fetchChanges` or
/// `sendChanges` for which one of them waits fails with `invalidArguments`.
public protocol CKSyncEngineDelegate: AnyObject, Sendable {
    /// Handles an event. The delegate stores its content before it returns: the state after it does not repeat it.
    func handleEvent(_ event: CKSyncEngine.Event, syncEngine: CKSyncEngine) async

    /// The next changes to send; nil when there are no more.
    func nextRecordZoneChangeBatch(
        _ context: CKSyncEngine.SendChangesContext, syncEngine: CKSyncEngine
    ) async -> CKSyncEngine.RecordZoneChangeBatch?

    /// The part that a fetch is for, before it begins and again before each of its zones; without this function, that of
    /// the context.
    func nextFetchChangesOptions(
        _ context: CKSyncEngine.FetchChangesContext, syncEngine: CKSyncEngine
    ) async -> CKSyncEngine.FetchChangesOptions
}

extension CKSyncEngineDelegate {
    /// The part that the context says.
    public func nextFetchChangesOptions(
        _ context: CKSyncEngine.FetchChangesContext, syncEngine: CKSyncEngine
    ) async -> CKSyncEngine.FetchChangesOptions { context.options }
}
