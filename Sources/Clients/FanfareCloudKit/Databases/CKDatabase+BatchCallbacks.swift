import Foundation

extension CKDatabase {
    /// Fetches a page of the zones that changed after a token, and calls a handler with it.
    @preconcurrency public func fetchDatabaseChanges(
        since previousServerChangeToken: CKServerChangeToken?, resultsLimit: Int? = nil,
        completionHandler:
            @escaping @Sendable (
                Result<
                    (
                        modifications: [DatabaseChange.Modification], deletions: [DatabaseChange.Deletion],
                        changeToken: CKServerChangeToken, moreComing: Bool
                    ), any Error
                >
            ) -> Void
    ) {
        Callback.result(completionHandler) {
            try await self.databaseChanges(since: previousServerChangeToken, resultsLimit: resultsLimit)
        }
    }

    /// Fetches a page of the records of a zone that changed after a token, and calls a handler with it.
    @preconcurrency public func fetchRecordZoneChanges(
        inZoneWith zoneID: CKRecordZone.ID, since previousServerChangeToken: CKServerChangeToken?,
        desiredKeys: [CKRecord.FieldKey]? = nil, resultsLimit: Int? = nil,
        completionHandler:
            @escaping @Sendable (
                Result<
                    (
                        modificationResultsByID: [CKRecord.ID: Result<RecordZoneChange.Modification, any Error>],
                        deletions: [RecordZoneChange.Deletion], changeToken: CKServerChangeToken, moreComing: Bool
                    ), any Error
                >
            ) -> Void
    ) {
        Callback.result(completionHandler) {
            try await self.recordZoneChanges(
                inZoneWith: zoneID, since: previousServerChangeToken, desiredKeys: desiredKeys,
                resultsLimit: resultsLimit)
        }
    }

    /// Fetches zones, and calls a handler with the results.
    @preconcurrency public func fetch(
        withRecordZoneIDs zoneIDs: [CKRecordZone.ID],
        completionHandler:
            @escaping @Sendable (Result<[CKRecordZone.ID: Result<CKRecordZone, any Error>], any Error>) -> Void
    ) {
        Callback.result(completionHandler) { try await self.recordZones(for: zoneIDs) }
    }

    /// Makes and deletes zones, and calls a handler with the results.
    @preconcurrency public func modifyRecordZones(
        saving recordZonesToSave: [CKRecordZone], deleting recordZoneIDsToDelete: [CKRecordZone.ID],
        completionHandler:
            @escaping @Sendable (
                Result<
                    (
                        saveResults: [CKRecordZone.ID: Result<CKRecordZone, any Error>],
                        deleteResults: [CKRecordZone.ID: Result<Void, any Error>]
                    ), any Error
                >
            ) -> Void
    ) {
        Callback.result(completionHandler) {
            try await self.modifyRecordZones(saving: recordZonesToSave, deleting: recordZoneIDsToDelete)
        }
    }

    /// Fetches subscriptions, and calls a handler with the results.
    @preconcurrency public func fetch(
        withSubscriptionIDs subscriptionIDs: [CKSubscription.ID],
        completionHandler:
            @escaping @Sendable (Result<[CKSubscription.ID: Result<CKSubscription, any Error>], any Error>) -> Void
    ) {
        Callback.result(completionHandler) { try await self.subscriptions(for: subscriptionIDs) }
    }

    /// Saves and deletes subscriptions, and calls a handler with the results.
    @preconcurrency public func modifySubscriptions(
        saving subscriptionsToSave: [CKSubscription], deleting subscriptionIDsToDelete: [CKSubscription.ID],
        completionHandler:
            @escaping @Sendable (
                Result<
                    (
                        saveResults: [CKSubscription.ID: Result<CKSubscription, any Error>],
                        deleteResults: [CKSubscription.ID: Result<Void, any Error>]
                    ), any Error
                >
            ) -> Void
    ) {
        Callback.result(completionHandler) {
            try await self.modifySubscriptions(saving: subscriptionsToSave, deleting: subscriptionIDsToDelete)
        }
    }
}
