import Foundation

/// One fetch of a sync engine: the zones that changed, then their records.
struct SyncFetch: Sendable {
    let engine: CKSyncEngine
    /// The fetch as the app or the schedule began it.
    let given: CKSyncEngine.FetchChangesContext
    /// The same with the options that the delegate gave at its start.
    let context: CKSyncEngine.FetchChangesContext

    private var database: CKDatabase { engine.database(context.options.operationGroup) }

    func run() async throws {
        await engine.report(.willFetchChanges(.init(context: context)))
        var failed: [(id: any Hashable & Sendable, error: any Error)] = []
        var failure: CKError?
        do {
            try await zones()
            var fetched: [CKRecordZone.ID] = []
            while let zone = await nextZone(after: fetched) {
                failed += try await fetch(zone)
                fetched.append(zone)
            }
        } catch {
            failure = CKError(error)
        }
        await engine.report(.didFetchChanges(.init(context: context)))
        if let failure { throw failure }
        if !failed.isEmpty { throw CKError.partialFailure(failed) }
    }

    /// Fetches a zone.
    /// - Returns: its errors, and those of its records.
    /// - Throws: `CKError` if nothing more can be fetched now.
    private func fetch(
        _ zone: CKRecordZone.ID
    ) async throws -> [(id: any Hashable & Sendable, error: any Error)] {
        await engine.report(.willFetchRecordZoneChanges(.init(zoneID: zone)))
        var failed: [(id: any Hashable & Sendable, error: any Error)] = []
        var failure: CKError?
        do {
            failed = try await records(of: zone)
            if !failed.isEmpty { failure = .partialFailure(failed) }
        } catch {
            let error = CKError(error)
            failure = error
            failed = [(zone, error)]
        }
        await engine.report(.didFetchRecordZoneChanges(.init(zoneID: zone, error: failure)))
        // A missing zone is reported with the zones.
        if failure?.code == .zoneNotFound { engine.state.read(zone, to: nil, isDone: true) }
        if let failure, !failure.isOfItem { throw failure }
        return failed
    }

    /// The next zone to read; nil when there is none. The delegate gives its options again before each, so that an app
    /// decides by what it shows, and knows the zones that are left.
    private func nextZone(after fetched: [CKRecordZone.ID]) async -> CKRecordZone.ID? {
        let unfetched = engine.state.zoneIDsWithUnfetchedServerChanges.filter { !fetched.contains($0) }
        guard !unfetched.isEmpty else { return nil }
        let options = await engine.delegate.nextFetchChangesOptions(given, syncEngine: engine)
        let left = unfetched.filter { options.scope.contains($0) }
        return options.prioritizedZoneIDs.first { left.contains($0) } ?? left.first
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

    /// Fetches the changed records of a zone, page by page. Records that could not be fetched, because of their files,
    /// do not hold the others up; the next fetch begins before the first of them.
    /// - Returns: the errors of such records.
    private func records(
        of zone: CKRecordZone.ID
    ) async throws -> [(id: any Hashable & Sendable, error: any Error)] {
        var failed: [(id: any Hashable & Sendable, error: any Error)] = []
        var token = engine.state.token(of: zone)
        var moreComing = true
        while moreComing {
            let page: CKDatabase.ChangePage
            do {
                page = try await database.changes(in: zone, since: token, desiredKeys: nil, limit: 0)
            } catch  where CKError(error).code == .changeTokenExpired && token != nil {
                // The zone is reported from its start: an app compares the records' change tags.
                engine.state.read(zone, to: nil, isDone: false)
                token = nil
                continue
            }
            var records: [CKDatabase.RecordZoneChange.Modification] = []
            for (id, result) in page.modified {
                switch result {
                case .success(let record): records.append(CKDatabase.RecordZoneChange.Modification(record: record))
                case .failure(let error): failed.append((id, error))
                }
            }
            if !records.isEmpty || !page.deleted.isEmpty {
                await engine.report(.fetchedRecordZoneChanges(.init(modifications: records, deletions: page.deleted)))
            }
            (token, moreComing) = (page.token, page.moreComing)
            if failed.isEmpty { engine.state.read(zone, to: token, isDone: !moreComing) }
            await engine.reportState()
        }
        return failed
    }
}
