import Foundation

/// One fetch of a sync engine: the zones that changed, then their records.
struct SyncFetch: Sendable {
    let engine: CKSyncEngine
    let context: CKSyncEngine.FetchChangesContext

    private var database: CKDatabase { engine.database(context.options.operationGroup) }

    func run() async throws {
        await engine.report(.willFetchChanges(.init(context: context)))
        try await zones()
        for zone in order() {
            await engine.report(.willFetchRecordZoneChanges(.init(zoneID: zone)))
            do {
                try await records(of: zone)
                await engine.report(.didFetchRecordZoneChanges(.init(zoneID: zone, error: nil)))
            } catch {
                let error = CKError(error)
                await engine.report(.didFetchRecordZoneChanges(.init(zoneID: zone, error: error)))
                // A missing zone is reported with the zones.
                guard error.code == .zoneNotFound else { throw error }
                engine.state.read(zone, to: nil, isDone: true)
            }
        }
        await engine.report(.didFetchChanges(.init(context: context)))
    }

    /// The zones to read, those that the app wants first before the others.
    private func order() -> [CKRecordZone.ID] {
        let unfetched = engine.state.zoneIDsWithUnfetchedServerChanges.filter { context.options.scope.contains($0) }
        let first = context.options.prioritizedZoneIDs.filter { unfetched.contains($0) }
        return first + unfetched.filter { !first.contains($0) }
    }

    private func zones() async throws {
        var moreComing = true
        while moreComing {
            let page: Page
            do {
                page = try await database.databaseChanges(since: engine.state.databaseToken)
            } catch  where CKError(error).code == .changeTokenExpired && engine.state.databaseToken != nil {
                engine.state.read(to: nil, changed: [], deleted: [])
                continue
            }
            moreComing = page.moreComing
            if !page.modifications.isEmpty || !page.deletions.isEmpty {
                await engine.report(
                    .fetchedDatabaseChanges(.init(modifications: page.modifications, deletions: page.deletions)))
            }
            engine.state.read(
                to: page.changeToken, changed: page.modifications.map(\.zoneID),
                deleted: page.deletions.map(\.zoneID))
            await engine.reportState()
        }
    }

    private typealias Page = (
        modifications: [CKDatabase.DatabaseChange.Modification], deletions: [CKDatabase.DatabaseChange.Deletion],
        changeToken: CKServerChangeToken, moreComing: Bool
    )

    private func records(of zone: CKRecordZone.ID) async throws {
        var moreComing = true
        while moreComing {
            let page: CKDatabase.ChangePage
            do {
                page = try await database.changes(
                    in: zone, since: engine.state.token(of: zone), desiredKeys: nil, limit: 0)
            } catch  where CKError(error).code == .changeTokenExpired && engine.state.token(of: zone) != nil {
                // The zone is reported from its start: an app compares the records' change tags.
                engine.state.read(zone, to: nil, isDone: false)
                continue
            }
            let records = try page.modified.map { CKDatabase.RecordZoneChange.Modification(record: try $0.1.get()) }
            if !records.isEmpty || !page.deleted.isEmpty {
                await engine.report(.fetchedRecordZoneChanges(.init(modifications: records, deletions: page.deleted)))
            }
            moreComing = page.moreComing
            engine.state.read(zone, to: page.token, isDone: !moreComing)
            await engine.reportState()
        }
    }
}
