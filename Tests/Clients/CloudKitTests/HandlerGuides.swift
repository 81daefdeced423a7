import FanfareCloudKit
import Foundation
import TestSupport
import Testing

/// Completion handlers of several things at once, in the form of a result.
@Suite struct HandlerGuides {
    /// The value that a handler is called with.
    private func value<Value: Sendable>(
        _ call: (@escaping @Sendable (Result<Value, any Error>) -> Void) -> Void
    ) async throws -> Value {
        try await withCheckedThrowingContinuation { ended in call { ended.resume(with: $0) } }
    }

    @Test("zones, their changes and subscriptions come to handlers as results")
    func database() async throws {
        let devices = try await Devices()
        let database = devices.device().privateCloudDatabase
        let zone = CKRecordZone(zoneName: devices.name("Notes"))
        let nowhere = CKRecordZone.ID(zoneName: "nowhere")
        let made = try await value { database.modifyRecordZones(saving: [zone], deleting: [], completionHandler: $0) }
        #expect(try made.saveResults[zone.zoneID]?.get() == zone)
        let zones = try await value {
            database.fetch(withRecordZoneIDs: [zone.zoneID, nowhere], completionHandler: $0)
        }
        #expect(try zones[zone.zoneID]?.get() == zone)
        #expect(throws: CKError.self) { try zones[nowhere]?.get() }

        let record = CKRecord(recordType: "Note", zoneID: zone.zoneID)
        try await database.save(record)
        let zonesChanged = try await value { database.fetchDatabaseChanges(since: nil, completionHandler: $0) }
        #expect(zonesChanged.modifications.map(\.zoneID) == [zone.zoneID] && !zonesChanged.moreComing)
        let changes = try await value {
            database.fetchRecordZoneChanges(inZoneWith: zone.zoneID, since: nil, completionHandler: $0)
        }
        #expect(Array(changes.modificationResultsByID.keys) == [record.recordID])

        let subscription = CKDatabaseSubscription(subscriptionID: devices.name("all"))
        subscription.notificationInfo = CKSubscription.NotificationInfo(shouldSendContentAvailable: true)
        let saved = try await value {
            database.modifySubscriptions(saving: [subscription], deleting: [], completionHandler: $0)
        }
        _ = try #require(saved.saveResults[subscription.subscriptionID]).get()
        let found = try await value {
            database.fetch(withSubscriptionIDs: [subscription.subscriptionID, "nothing"], completionHandler: $0)
        }
        #expect(try found[subscription.subscriptionID]?.get().subscriptionID == subscription.subscriptionID)
        #expect(throws: CKError.self) { try found["nothing"]?.get() }
    }

    @Test("users and shares come to handlers as results, each with its own")
    func container() async throws {
        let devices = try await Devices()
        let (alice, bob) = (devices.device(), devices.device(of: "bob"))
        let name = try await bob.userRecordID()
        _ = try await bob.requestApplicationPermission(.userDiscoverability)
        let people = try await value { alice.discoverUserIdentities(forUserRecordIDs: [name], completionHandler: $0) }
        #expect(people[name]?.userRecordID == name)
        #expect(try await alice.userIdentities(forEmailAddresses: ["nobody@example.com"]).isEmpty)
        let participants = try await value {
            alice.fetchShareParticipants(forUserRecordIDs: [name], completionHandler: $0)
        }
        #expect(try participants[name]?.get().userIdentity.userRecordID == name)
        let numbers = try await value { alice.fetchShareParticipants(forPhoneNumbers: ["1"], completionHandler: $0) }
        #expect(throws: CKError.self) { try numbers["1"]?.get() }
        #expect(try await alice.shareParticipants(forEmailAddresses: ["a@example.com"]).count == 1)

        let zone = try await alice.privateCloudDatabase.save(CKRecordZone(zoneName: devices.name("Trip")))
        let share = CKShare(recordZoneID: zone.zoneID)
        share.publicPermission = .readOnly
        try await alice.privateCloudDatabase.save(share)
        let url = try #require(share.url)
        let wrong = url.deletingLastPathComponent().appendingPathComponent("nothing")
        let shares = try await value { bob.fetchShareMetadata(for: [url, wrong], completionHandler: $0) }
        let metadata = try #require(shares[url]).get()
        #expect(throws: CKError.self) { try shares[wrong]?.get() }
        let accepted = try await value { bob.accept([metadata], completionHandler: $0) }
        #expect(try accepted[metadata]?.get().recordID.recordName == share.recordID.recordName)
    }
}
