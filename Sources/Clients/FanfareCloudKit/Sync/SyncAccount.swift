/// The user whose records a sync engine keeps the same, looked at before each sync.
struct SyncAccount: Sendable {
    let engine: CKSyncEngine

    /// Tells the delegate of a user who is another one than that of the state.
    /// - Throws: `CKError` where the service could not be reached.
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
        guard state.user != nil || state.databaseToken == nil else { return state.begin(anew: false, of: current) }
        let change: CKSyncEngine.Event.AccountChange.ChangeType
        switch (state.user.map { CKRecord.ID(user: $0) }, current.map { CKRecord.ID(user: $0) }) {
        case (let previous?, let current?):
            change = .switchAccounts(previousUser: previous, currentUser: current)
            state.begin(anew: true, of: current.recordName)
        case (let previous?, nil):
            change = .signOut(previousUser: previous)
            state.begin(anew: true, of: nil)
        case (nil, let current?):
            change = .signIn(currentUser: current)
            state.begin(anew: false, of: current.recordName)
        case (nil, nil): return
        }
        await engine.tell(.accountChange(.init(changeType: change)))
        await engine.tellState()
    }
}
