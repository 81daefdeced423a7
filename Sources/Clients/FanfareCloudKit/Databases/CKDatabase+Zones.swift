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
        guard !ids.isEmpty else { return [:] }
        let results = try await session.call { [scope] in
            try await $0.service.zones(ids.map(\.given), in: scope)
        }
        return Dictionary(
            zip(ids, results).map { id, result in
                (
                    id,
                    result.map { CKRecordZone(zoneID: id, share: $0.share?.rawValue) }.mapError {
                        CKError($0, ofItem: true) as any Error
                    }
                )
            }
        ) { first, _ in first }
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

    /// Deletes a zone with its records; in the shared database the user leaves it.
    @discardableResult
    public func deleteRecordZone(withID zoneID: CKRecordZone.ID) async throws -> CKRecordZone.ID {
        let results = try await modifyRecordZones(saving: [], deleting: [zoneID])
        try results.deleteResults[zoneID]?.get()
        return zoneID
    }

    /// Makes and deletes zones; a result for each.
    public func modifyRecordZones(
        saving recordZonesToSave: [CKRecordZone], deleting recordZoneIDsToDelete: [CKRecordZone.ID]
    ) async throws -> (
        saveResults: [CKRecordZone.ID: Result<CKRecordZone, any Error>],
        deleteResults: [CKRecordZone.ID: Result<Void, any Error>]
    ) {
        guard databaseScope == .private || recordZonesToSave.isEmpty else {
            throw CKError(.badDatabase, "zones are made in the private database only")
        }
        let operations =
            recordZonesToSave.map { ZoneOperation(kind: .create, zone: $0.zoneID.given) }
            + recordZoneIDsToDelete.map { ZoneOperation(kind: .delete, zone: $0.given) }
        guard !operations.isEmpty else { return ([:], [:]) }
        let attempts = Collected(0)
        let results = try await session.call { [scope] in
            attempts.update { $0 += 1 }
            return try await $0.service.modify(operations, in: scope)
        }
        var saved: [CKRecordZone.ID: Result<CKRecordZone, any Error>] = [:]
        var deleted: [CKRecordZone.ID: Result<Void, any Error>] = [:]
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
}

extension Result where Failure == FanfareError {
    fileprivate var isZoneNotFound: Bool {
        if case .failure(let error) = self { error.code == .zoneNotFound } else { false }
    }
}
