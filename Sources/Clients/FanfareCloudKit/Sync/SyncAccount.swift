/// The user whose records a sync engine keeps the same, looked at before each sync.
struct SyncAccount: Sendable {
    let engine: CKSyncEngine

    /// Calls the delegate if the signed-in user is not the user of the state.
    /// - Throws: `CKError` if the service cannot be reached.
    func check() async throws {
        let state = engine.state
        let current: String?
        do {
            current = try await engine.database.userRecordID().recordName
        } catch let error as CKError where error.code == .notAuthenticated {
            current = nil
        }
        guard current != state.user else { return }
        // A state from before users were kept is the user's whose it is used for.
        guard state.user != nil || state.databaseToken == nil else { return state.begin(reset: false, of: current) }
        let change: CKSyncEngine.Event.AccountChange.ChangeType
        switch (state.user.map { CKRecord.ID(user: $0) }, current.map { CKRecord.ID(user: $0) }) {
        case (let previous?, let current?):
            change = .switchAccounts(previousUser: previous, currentUser: current)
            state.begin(reset: true, of: current.recordName)
        case (let previous?, nil):
            change = .signOut(previousUser: previous)
            state.begin(reset: true, of: nil)
        case (nil, let current?):
            change = .signIn(currentUser: current)
            state.begin(reset: false, of: current.recordName)
        case (nil, nil): return
        }
        await engine.report(.accountChange(.init(changeType: change)))
        await engine.reportState()
    }
}
