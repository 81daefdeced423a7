import Foundation
import TestSupport

@testable import FanfareCloudKit

/// The outcome of a call with several things or with one.
enum Outcome: Sendable {
    /// The call returned the errors of its items, by name; nil for an item that succeeded.
    case results([String: CKError.Code?])
    /// The call threw.
    case thrown(CKError.Code)
    /// An operation called its blocks: those of items, the result block, and the completion block of the older form.
    case blocks(items: [String: CKError.Code?], result: CKError.Code?, completion: CKError?)
}

/// All calls of the table of errors in docs/client-library.md, by their names in it. Each is about something named
/// `good` and something `bad`, and about the zone `there` and the zone `gone`, where it takes several.
struct ErrorCalls: Sendable {
    let container: CKContainer
    /// Shares by their links, as they are found while nothing fails.
    let shares: [CKShare.Metadata]

    var database: CKDatabase { container.privateCloudDatabase }

    static let records = ["good", "bad", "gone"].map { name in
        CKRecord.ID(recordName: name, zoneID: CKRecordZone.ID(zoneName: name == "gone" ? "gone" : "there"))
    }
    static let zones = ["there", "gone"].map { CKRecordZone.ID(zoneName: $0) }
    static let subscriptions = ["good", "bad"]
    static let links = ["good", "bad"].map { URL(string: "https://test/\($0)")! }
    static let addresses = ["good@test", "bad@test"]
    /// More than one request takes, so that `bad` is in the second.
    private static let notifications = (0..<200).map { CKNotification.ID("good\($0)") } + [CKNotification.ID("bad")]

    static func new(_ ids: [CKRecord.ID]) -> [CKRecord] { ids.map { CKRecord(recordType: "Note", recordID: $0) } }

    /// The calls with several items, which return or throw.
    var batches: [String: @Sendable () async throws -> Outcome] {
        [
            "`records(for:)`": { [database] in Self.results(try await database.records(for: Self.records)) },
            "`modifyRecords(saving:deleting:)`": { [database] in
                Self.results(
                    try await database.modifyRecords(
                        saving: Self.new(Self.records), deleting: [], atomically: false
                    ).saveResults)
            },
            "`recordZones(for:)`": { [database] in Self.results(try await database.recordZones(for: Self.zones)) },
            "`modifyRecordZones(saving:deleting:)`": { [database] in
                Self.results(try await database.modifyRecordZones(saving: [], deleting: Self.zones).deleteResults)
            },
            "`subscriptions(for:)`": { [database] in
                Self.results(try await database.subscriptions(for: Self.subscriptions))
            },
            "`modifySubscriptions(saving:deleting:)`": { [database] in
                Self.results(
                    try await database.modifySubscriptions(saving: [], deleting: Self.subscriptions).deleteResults)
            },
            "`shareMetadatas(for:)`": { [container] in
                Self.results(try await container.shareMetadatas(for: Self.links))
            },
            "`accept(_:)` of several": { [container, shares] in
                let results = try await container.accept(shares)
                return Self.results(Dictionary(uniqueKeysWithValues: results.map { ($0.shortGUID, $1) }))
            },
            "`shareParticipants(for…:)`": { [container] in
                Self.results(try await container.shareParticipants(forEmailAddresses: Self.addresses))
            },
            "`userIdentities(for…:)`": { [container] in
                let found = try await container.userIdentities(forEmailAddresses: Self.addresses)
                return .results(found.mapValues { _ in nil })
            },
            "`markRead(_:)`": { [container] in
                let errors = try await container.markRead(Self.notifications)
                return .results(
                    Dictionary(uniqueKeysWithValues: Self.notifications.map { ($0.text, CKError.code(errors[$0])) }))
            },
        ]
    }

    /// The calls with one item, which fails.
    var singles: [String: @Sendable () async throws -> Void] {
        [
            "`record(for:)`": { [database] in _ = try await database.record(for: Self.records[1]) },
            "`save(_:)` of a record": { [database] in try await database.save(Self.new([Self.records[2]])[0]) },
            "`deleteRecord(withID:)`": { [database] in try await database.deleteRecord(withID: Self.records[2]) },
            "`recordZone(for:)`": { [database] in _ = try await database.recordZone(for: Self.zones[1]) },
            "`save(_:)` of a zone": { [database] in try await database.save(CKRecordZone(zoneName: "bad")) },
            "`subscription(for:)`": { [database] in _ = try await database.subscription(for: "bad") },
            "`save(_:)` of a subscription": { [database] in
                try await database.save(CKDatabaseSubscription(subscriptionID: "bad"))
            },
            "`deleteSubscription(withID:)`": { [database] in try await database.deleteSubscription(withID: "bad") },
            "`recordZoneChanges(inZoneWith:since:)`": { [database] in
                _ = try await database.recordZoneChanges(inZoneWith: Self.zones[1], since: nil)
            },
            "`shareMetadata(for:)`": { [container] in _ = try await container.shareMetadata(for: Self.links[1]) },
            "`accept(_:)` of one": { [container, shares] in try await container.accept(shares[1]) },
        ]
    }

    /// The operations.
    var operations: [String: @Sendable () async -> Outcome] {
        [
            "`CKFetchRecordsOperation`": { @Sendable [self] in
                await run(CKFetchRecordsOperation(recordIDs: Self.records)) { operation, end in
                    operation.perRecordResultBlock = { end.item($0.recordName, $1) }
                    operation.fetchRecordsResultBlock = { end.result($0) }
                    operation.fetchRecordsCompletionBlock = { end.completed($1) }
                }
            },
            "`CKModifyRecordsOperation`": { @Sendable [self] in
                await run(CKModifyRecordsOperation(recordsToSave: Self.new(Self.records))) { operation, end in
                    operation.isAtomic = false
                    operation.perRecordSaveBlock = { end.item($0.recordName, $1) }
                    operation.modifyRecordsResultBlock = { end.result($0) }
                    operation.modifyRecordsCompletionBlock = { end.completed($2) }
                }
            },
            "`CKFetchRecordZoneChangesOperation`": { @Sendable [self] in
                await run(CKFetchRecordZoneChangesOperation(recordZoneIDs: Self.zones)) { operation, end in
                    operation.recordZoneFetchResultBlock = { end.item($0.zoneName, $1) }
                    operation.fetchRecordZoneChangesResultBlock = { end.result($0) }
                    operation.fetchRecordZoneChangesCompletionBlock = { end.completed($0) }
                }
            },
            "`CKFetchRecordZonesOperation`": { @Sendable [self] in
                await run(CKFetchRecordZonesOperation(recordZoneIDs: Self.zones)) { operation, end in
                    operation.perRecordZoneResultBlock = { end.item($0.zoneName, $1) }
                    operation.fetchRecordZonesResultBlock = { end.result($0) }
                    operation.fetchRecordZonesCompletionBlock = { end.completed($1) }
                }
            },
            "`CKModifyRecordZonesOperation`": { @Sendable [self] in
                await run(CKModifyRecordZonesOperation(recordZoneIDsToDelete: Self.zones)) { operation, end in
                    operation.perRecordZoneDeleteBlock = { end.item($0.zoneName, $1) }
                    operation.modifyRecordZonesResultBlock = { end.result($0) }
                    operation.modifyRecordZonesCompletionBlock = { end.completed($2) }
                }
            },
            "`CKFetchSubscriptionsOperation`": { @Sendable [self] in
                await run(CKFetchSubscriptionsOperation(subscriptionIDs: Self.subscriptions)) { operation, end in
                    operation.perSubscriptionResultBlock = { end.item($0, $1) }
                    operation.fetchSubscriptionsResultBlock = { end.result($0) }
                    operation.fetchSubscriptionCompletionBlock = { end.completed($1) }
                }
            },
            "`CKModifySubscriptionsOperation`": { @Sendable [self] in
                let operation = CKModifySubscriptionsOperation(subscriptionIDsToDelete: Self.subscriptions)
                return await run(operation) { operation, end in
                    operation.perSubscriptionDeleteBlock = { end.item($0, $1) }
                    operation.modifySubscriptionsResultBlock = { end.result($0) }
                    operation.modifySubscriptionsCompletionBlock = { end.completed($2) }
                }
            },
        ].merging(userOperations) { own, _ in own }
    }

    private var userOperations: [String: @Sendable () async -> Outcome] {
        [
            "`CKAcceptSharesOperation`": { @Sendable [self] in
                await run(CKAcceptSharesOperation(shareMetadatas: shares)) { operation, end in
                    operation.perShareResultBlock = { end.item($0.shortGUID, $1) }
                    operation.acceptSharesResultBlock = { end.result($0) }
                    operation.acceptSharesCompletionBlock = { end.completed($0) }
                }
            },
            "`CKFetchShareMetadataOperation`": { @Sendable [self] in
                await run(CKFetchShareMetadataOperation(shareURLs: Self.links)) { operation, end in
                    operation.perShareMetadataResultBlock = { end.item($0.lastPathComponent, $1) }
                    operation.fetchShareMetadataResultBlock = { end.result($0) }
                    operation.fetchShareMetadataCompletionBlock = { end.completed($0) }
                }
            },
            "`CKFetchShareParticipantsOperation`": { @Sendable [self] in
                let lookups = CKUserIdentity.LookupInfo.lookupInfos(withEmails: Self.addresses)
                return await run(CKFetchShareParticipantsOperation(userIdentityLookupInfos: lookups)) {
                    operation, end in
                    operation.perShareParticipantResultBlock = { end.item($0.emailAddress ?? "", $1) }
                    operation.fetchShareParticipantsResultBlock = { end.result($0) }
                    operation.fetchShareParticipantsCompletionBlock = { end.completed($0) }
                }
            },
            "`CKDiscoverUserIdentitiesOperation`": { @Sendable [self] in
                let lookups = CKUserIdentity.LookupInfo.lookupInfos(withEmails: Self.addresses)
                return await run(CKDiscoverUserIdentitiesOperation(userIdentityLookupInfos: lookups)) {
                    operation, end in
                    operation.discoverUserIdentitiesResultBlock = { end.result($0) }
                    operation.discoverUserIdentitiesCompletionBlock = { end.completed($0) }
                }
            },
            "`CKMarkNotificationsReadOperation`": { @Sendable [self] in
                let operation = CKMarkNotificationsReadOperation(notificationIDsToMarkRead: Self.notifications)
                return await run(operation) { operation, end in
                    operation.markNotificationsReadCompletionBlock = { end.completed($1) }
                }
            },
        ]
    }

    static func results<ID: Hashable, Value>(_ results: [ID: Result<Value, any Error>]) -> Outcome {
        var codes: [String: CKError.Code?] = [:]
        for (id, result) in results { codes[name(id)] = CKError.code(result.error) }
        return .results(codes)
    }

    private static func name(_ id: some Hashable) -> String {
        switch id {
        case let id as CKRecord.ID: id.recordName
        case let id as CKRecordZone.ID: id.zoneName
        case let url as URL: url.lastPathComponent
        default: "\(id)"
        }
    }

    /// The blocks that an operation calls.
    final class End: Sendable {
        fileprivate let codes = Collected<[String: CKError.Code?]>([:])
        fileprivate let failure = Collected<CKError.Code?>(nil)
        fileprivate let error = Collected<CKError?>(nil)

        func item<Value>(_ name: String, _ result: Result<Value, any Error>) {
            let code = CKError.code(result.error)
            codes.update { $0[name] = .some(code) }
        }

        func result<Value>(_ result: Result<Value, any Error>) {
            let code = CKError.code(result.error)
            failure.update { $0 = code }
        }

        func completed(_ error: (any Error)?) {
            let error = error as? CKError
            self.error.update { $0 = error }
        }
    }

    private func run<Some: CKOperation>(_ operation: Some, _ set: (Some, End) -> Void) async -> Outcome {
        let end = End()
        set(operation, end)
        operation.configuration.container = container
        await withCheckedContinuation { continuation in
            operation.completionBlock = { continuation.resume() }
            CKOperation.queue.addOperation(operation)
        }
        return .blocks(items: end.codes.value, result: end.failure.value, completion: end.error.value)
    }
}

extension CKError {
    static func code(_ error: (any Error)?) -> CKError.Code? { error.map { CKError($0).code } }
}
