import Foundation

/// One fetch of a sync engine: the zones that changed, then their records.
struct SyncFetch: Sendable {
    let engine: CKSyncEngine
    let scope: CKSyncEngine.Scope

    func run() async throws {
        await engine.tell(.willFetchChanges)
        try await zones()
        for zone in engine.state.zoneIDsWithUnfetchedServerChanges where scope.contains(zone) {
            await engine.tell(.willFetchRecordZoneChanges(zone))
            do {
                try await records(of: zone)
                await engine.tell(.didFetchRecordZoneChanges(zone, nil))
            } catch {
                let error = CKError(error)
                await engine.tell(.didFetchRecordZoneChanges(zone, error))
                // A zone that is gone is told with the zones.
                guard error.code == .zoneNotFound else { throw error }
                engine.state.read(zone, to: nil, isDone: true)
            }
        }
        await engine.tell(.didFetchChanges)
    }

    private func zones() async throws {
        var moreComing = true
        while moreComing {
            let page: Page
            do {
                page = try await engine.database.databaseChanges(since: engine.state.databaseToken)
            } catch  where CKError(error).code == .changeTokenExpired && engine.state.databaseToken != nil {
                engine.state.read(to: nil, changed: [], deleted: [])
                continue
            }
            moreComing = page.moreComing
            if !page.modifications.isEmpty || !page.deletions.isEmpty {
                await engine.tell(
                    .fetchedDatabaseChanges(.init(modifications: page.modifications, deletions: page.deletions)))
            }
            engine.state.read(
                to: page.changeToken, changed: page.modifications.map(\.zoneID),
                deleted: page.deletions.map(\.zoneID))
            await engine.tellState()
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
                page = try await engine.database.changes(
                    in: zone, since: engine.state.token(of: zone), desiredKeys: nil, limit: 0)
            } catch  where CKError(error).code == .changeTokenExpired && engine.state.token(of: zone) != nil {
                // The zone is told from its start: an app compares by the records' change tags.
                engine.state.read(zone, to: nil, isDone: false)
                continue
            }
            let records = try page.modified.map { CKDatabase.RecordZoneChange.Modification(record: try $0.1.get()) }
            if !records.isEmpty || !page.deleted.isEmpty {
                await engine.tell(.fetchedRecordZoneChanges(.init(modifications: records, deletions: page.deleted)))
            }
            moreComing = page.moreComing
            engine.state.read(zone, to: page.token, isDone: !moreComing)
            await engine.tellState()
        }
    }
}
