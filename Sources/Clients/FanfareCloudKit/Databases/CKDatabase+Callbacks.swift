import Foundation

extension CKDatabase {
    // MARK: Records

    /// Fetches a record, and calls a handler with it.
    @preconcurrency public func fetch(
        withRecordID recordID: CKRecord.ID, completionHandler: @escaping @Sendable (CKRecord?, (any Error)?) -> Void
    ) {
        Callback.two(completionHandler) { try await self.record(for: recordID) }
    }

    /// Fetches records, and calls a handler with the results.
    @preconcurrency public func fetch(
        withRecordIDs recordIDs: [CKRecord.ID], desiredKeys: [CKRecord.FieldKey]? = nil,
        completionHandler: @escaping @Sendable (Result<[CKRecord.ID: Result<CKRecord, any Error>], any Error>) -> Void
    ) {
        Callback.result(completionHandler) { try await self.records(for: recordIDs, desiredKeys: desiredKeys) }
    }

    /// Saves a record, and calls a handler with the saved record.
    @preconcurrency public func save(
        _ record: CKRecord, completionHandler: @escaping @Sendable (CKRecord?, (any Error)?) -> Void
    ) {
        Callback.two(completionHandler) { try await self.save(record) }
    }

    /// Deletes a record, and calls a handler with its ID.
    @preconcurrency public func delete(
        withRecordID recordID: CKRecord.ID,
        completionHandler: @escaping @Sendable (CKRecord.ID?, (any Error)?) -> Void
    ) {
        Callback.two(completionHandler) { try await self.deleteRecord(withID: recordID) }
    }

    /// Saves and deletes records, and calls a handler with the results.
    @preconcurrency public func modifyRecords(
        saving recordsToSave: [CKRecord], deleting recordIDsToDelete: [CKRecord.ID],
        savePolicy: CKModifyRecordsOperation.RecordSavePolicy = .ifServerRecordUnchanged, atomically: Bool = true,
        completionHandler:
            @escaping @Sendable (
                Result<
                    (
                        saveResults: [CKRecord.ID: Result<CKRecord, any Error>],
                        deleteResults: [CKRecord.ID: Result<Void, any Error>]
                    ), any Error
                >
            ) -> Void
    ) {
        Callback.result(completionHandler) {
            try await self.modifyRecords(
                saving: recordsToSave, deleting: recordIDsToDelete, savePolicy: savePolicy, atomically: atomically)
        }
    }

    /// Finds all records that satisfy a query, and calls a handler with them.
    @preconcurrency public func perform(
        _ query: CKQuery, inZoneWith zoneID: CKRecordZone.ID?,
        completionHandler: @escaping @Sendable ([CKRecord]?, (any Error)?) -> Void
    ) {
        Callback.two(completionHandler) { try await self.perform(query, inZoneWith: zoneID) }
    }

    /// Finds the first page of the records that satisfy a query, and calls a handler with it.
    @preconcurrency public func fetch(
        withQuery query: CKQuery, inZoneWith zoneID: CKRecordZone.ID? = nil, desiredKeys: [CKRecord.FieldKey]? = nil,
        resultsLimit: Int = CKQueryOperation.maximumResults,
        completionHandler:
            @escaping @Sendable (
                Result<
                    (
                        matchResults: [(CKRecord.ID, Result<CKRecord, any Error>)],
                        queryCursor: CKQueryOperation.Cursor?
                    ), any Error
                >
            ) -> Void
    ) {
        Callback.result(completionHandler) {
            try await self.records(
                matching: query, inZoneWith: zoneID, desiredKeys: desiredKeys, resultsLimit: resultsLimit)
        }
    }

    /// Finds the next page of a query's records, and calls a handler with it.
    @preconcurrency public func fetch(
        withCursor queryCursor: CKQueryOperation.Cursor, desiredKeys: [CKRecord.FieldKey]? = nil,
        resultsLimit: Int = CKQueryOperation.maximumResults,
        completionHandler:
            @escaping @Sendable (
                Result<
                    (
                        matchResults: [(CKRecord.ID, Result<CKRecord, any Error>)],
                        queryCursor: CKQueryOperation.Cursor?
                    ), any Error
                >
            ) -> Void
    ) {
        Callback.result(completionHandler) {
            try await self.records(
                continuingMatchFrom: queryCursor, desiredKeys: desiredKeys, resultsLimit: resultsLimit)
        }
    }

    // MARK: Zones

    /// Fetches a zone, and calls a handler with it.
    @preconcurrency public func fetch(
        withRecordZoneID zoneID: CKRecordZone.ID,
        completionHandler: @escaping @Sendable (CKRecordZone?, (any Error)?) -> Void
    ) {
        Callback.two(completionHandler) { try await self.recordZone(for: zoneID) }
    }

    /// Fetches all zones, and calls a handler with them.
    @preconcurrency public func fetchAllRecordZones(
        completionHandler: @escaping @Sendable ([CKRecordZone]?, (any Error)?) -> Void
    ) {
        Callback.two(completionHandler) { try await self.allRecordZones() }
    }

    /// Makes a zone, and calls a handler with it.
    @preconcurrency public func save(
        _ zone: CKRecordZone, completionHandler: @escaping @Sendable (CKRecordZone?, (any Error)?) -> Void
    ) {
        Callback.two(completionHandler) { try await self.save(zone) }
    }

    /// Deletes a zone, and calls a handler with its ID.
    @preconcurrency public func delete(
        withRecordZoneID zoneID: CKRecordZone.ID,
        completionHandler: @escaping @Sendable (CKRecordZone.ID?, (any Error)?) -> Void
    ) {
        Callback.two(completionHandler) { try await self.deleteRecordZone(withID: zoneID) }
    }

    // MARK: Subscriptions

    /// Fetches a subscription, and calls a handler with it.
    @preconcurrency public func fetch(
        withSubscriptionID subscriptionID: CKSubscription.ID,
        completionHandler: @escaping @Sendable (CKSubscription?, (any Error)?) -> Void
    ) {
        Callback.two(completionHandler) { try await self.subscription(for: subscriptionID) }
    }

    /// Fetches all subscriptions, and calls a handler with them.
    @preconcurrency public func fetchAllSubscriptions(
        completionHandler: @escaping @Sendable ([CKSubscription]?, (any Error)?) -> Void
    ) {
        Callback.two(completionHandler) { try await self.allSubscriptions() }
    }

    /// Saves a subscription, and calls a handler with it.
    @preconcurrency public func save(
        _ subscription: CKSubscription,
        completionHandler: @escaping @Sendable (CKSubscription?, (any Error)?) -> Void
    ) {
        Callback.two(completionHandler) { try await self.save(subscription) }
    }

    /// Deletes a subscription, and calls a handler with its ID.
    @preconcurrency public func delete(
        withSubscriptionID subscriptionID: CKSubscription.ID,
        completionHandler: @escaping @Sendable (CKSubscription.ID?, (any Error)?) -> Void
    ) {
        Callback.two(completionHandler) { try await self.deleteSubscription(withID: subscriptionID) }
    }
}
