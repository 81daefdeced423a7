import CloudModel
import Foundation

extension CKDatabase {
    /// A zone.
    public func recordZone(for zoneID: CKRecordZone.ID) async throws -> CKRecordZone {
        let results = try await recordZones(for: [zoneID])
        guard let result = results[zoneID] else { throw CKError(.zoneNotFound, "the answer has no zone") }
        return try result.get()
    }

    /// Zones by their IDs; a result for each.
    public func recordZones(
        for ids: [CKRecordZone.ID]
    ) async throws -> [CKRecordZone.ID: Result<CKRecordZone, any Error>] {
        let (ids, refused) = try await apart(ids)
        guard !ids.isEmpty else { return refused.mapValues { .failure($0) } }
        let results = try await session.call { [scope] in
            try await $0.service.zones(ids.map(\.given), in: scope)
        }
        let answered = Dictionary(
            zip(ids, results).map { id, result in
                (
                    id,
                    result.map { CKRecordZone(zoneID: id, share: $0.share?.rawValue) }.mapError {
                        CKError($0, ofItem: true) as any Error
                    }
                )
            }
        ) { first, _ in first }
        return answered.merging(refused.mapValues { .failure($0) }) { first, _ in first }
    }

    /// All zones of the user's in this database.
    public func allRecordZones() async throws -> [CKRecordZone] {
        try await session.call { [self] signedIn in
            let reader = reader(signedIn)
            return try await signedIn.service.zones(in: scope).map {
                CKRecordZone(zoneID: reader.zoneID($0.id), share: $0.share?.rawValue)
            }
        }
    }

    /// Makes a zone; harmless when it is there.
    @discardableResult
    public func save(_ zone: CKRecordZone) async throws -> CKRecordZone {
        let results = try await modifyRecordZones(saving: [zone], deleting: [])
        return try results.saveResults[zone.zoneID]?.get() ?? zone
    }

    /// Deletes a zone with its records; in the shared database the user leaves it. Harmless when it is not there, where
    /// `modifyRecordZones` says `zoneNotFound`.
    @discardableResult
    public func deleteRecordZone(withID zoneID: CKRecordZone.ID) async throws -> CKRecordZone.ID {
        let results = try await modifyRecordZones(saving: [], deleting: [zoneID])
        do { try results.deleteResults[zoneID]?.get() } catch CKError.zoneNotFound {}
        return zoneID
    }

    /// Makes and deletes zones; a result for each.
    public func modifyRecordZones(
        saving recordZonesToSave: [CKRecordZone], deleting recordZoneIDsToDelete: [CKRecordZone.ID]
    ) async throws -> (
        saveResults: [CKRecordZone.ID: Result<CKRecordZone, any Error>],
        deleteResults: [CKRecordZone.ID: Result<Void, any Error>]
    ) {
        let (_, refused) = try await apart(recordZonesToSave.map(\.zoneID) + recordZoneIDsToDelete)
        var saved: [CKRecordZone.ID: Result<CKRecordZone, any Error>] = [:]
        var deleted: [CKRecordZone.ID: Result<Void, any Error>] = [:]
        for id in recordZonesToSave.map(\.zoneID) {
            let isPrivate = databaseScope == .private
            let error = isPrivate ? refused[id] : CKError(.badDatabase, "zones are made in the private database only")
            if let error { saved[id] = .failure(error) }
        }
        for id in recordZoneIDsToDelete { if let error = refused[id] { deleted[id] = .failure(error) } }
        let recordZonesToSave = recordZonesToSave.filter { saved[$0.zoneID] == nil }
        let recordZoneIDsToDelete = recordZoneIDsToDelete.filter { deleted[$0] == nil }
        let operations =
            recordZonesToSave.map { ZoneOperation(kind: .create, zone: $0.zoneID.given) }
            + recordZoneIDsToDelete.map { ZoneOperation(kind: .delete, zone: $0.given) }
        guard !operations.isEmpty else { return (saved, deleted) }
        let attempts = Collected(0)
        let results = try await session.call { [scope] in
            attempts.update { $0 += 1 }
            return try await $0.service.modify(operations, in: scope)
        }
        for (zone, result) in zip(recordZonesToSave, results) {
            saved[zone.zoneID] = result.map { CKRecordZone(zoneID: zone.zoneID, share: $0.share?.rawValue) }.mapError {
                CKError($0, ofItem: true)
            }
        }
        for (id, result) in zip(recordZoneIDsToDelete, results.dropFirst(recordZonesToSave.count)) {
            // What an attempt whose answer was lost has deleted is gone for the next.
            let isGone = attempts.value > 1 && (try? result.get()) == nil && result.isZoneNotFound
            deleted[id] = isGone ? .success(()) : result.map { _ in }.mapError { CKError($0, ofItem: true) }
        }
        return (saved, deleted)
    }

    /// Takes the zones out that cannot be in this database.
    private func apart(
        _ ids: [CKRecordZone.ID]
    ) async throws -> (ids: [CKRecordZone.ID], refused: [CKRecordZone.ID: CKError]) {
        try await session.call { [self] signedIn in
            var refused: [CKRecordZone.ID: CKError] = [:]
            for id in ids { do throws(CKError) { _ = try given(id, signedIn) } catch { refused[id] = error } }
            return (ids.filter { refused[$0] == nil }, refused)
        }
    }
}

extension Result where Failure == FanfareError {
    fileprivate var isZoneNotFound: Bool {
        if case .failure(let error) = self { error.code == .zoneNotFound } else { false }
    }
}
