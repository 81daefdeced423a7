import FanfareCloudKit
import Foundation
import Testing

/// The way in which Apple's guides find users and share records with them.
@Suite struct SharingGuides {
    @Test("a share's link is a page of the service's, and accepts it")
    func link() async throws {
        let devices = try await Devices()
        let (alice, bob) = (devices.device(), devices.device(of: "bob"))
        let zone = try await alice.privateCloudDatabase.save(CKRecordZone(zoneName: devices.name("Trip")))
        let record = CKRecord(recordType: devices.name("Photo"), zoneID: zone.zoneID)
        let share = CKShare(rootRecord: record)
        share[CKShare.SystemFieldKey.title] = "Kyoto"
        share.publicPermission = .readWrite
        #expect(share.url == nil)
        _ = try await alice.privateCloudDatabase.modifyRecords(saving: [record, share], deleting: [])

        let url = try #require(share.url)
        let page = try await URLSessionTransport().send(FanfareRequest(url: url.absoluteString))
        #expect(page.status == 200 && String(decoding: page.body, as: UTF8.self).contains("Kyoto"))
        let metadata = try await bob.shareMetadata(for: url)
        #expect(metadata.share.url == url && metadata.share[CKShare.SystemFieldKey.title] as? String == "Kyoto")
        try await bob.accept(metadata)
        let zones = try await bob.sharedCloudDatabase.allRecordZones()
        #expect(zones.map(\.zoneID.zoneName) == [zone.zoneID.zoneName])
    }

    @Test("an administrator changes who takes part, and whoever deletes a share that is not theirs leaves it")
    func administrators() async throws {
        let devices = try await Devices()
        let (alice, bob) = (devices.device(), devices.device(of: "bob"))
        let (carol, dave) = (devices.device(of: "carol"), devices.device(of: "dave"))
        let zone = try await alice.privateCloudDatabase.save(CKRecordZone(zoneName: devices.name("Trip")))
        let share = CKShare(recordZoneID: zone.zoneID)
        let administrator = try await alice.shareParticipant(forUserRecordID: try await bob.userRecordID())
        (administrator.role, administrator.permission) = (.administrator, .readWrite)
        share.addParticipant(administrator)
        share.publicPermission = .readOnly
        _ = try await alice.privateCloudDatabase.save(share)
        let url = try #require(share.url)
        for user in [bob, carol] { try await user.accept(try await user.shareMetadata(for: url)) }
        #expect(try await bob.shareMetadata(for: url).participantRole == .administrator)
        #expect(try await alice.shareMetadata(for: url).participantRole == .owner)

        let shared = try #require(try await bob.sharedCloudDatabase.allRecordZones().first).zoneID
        let shareID = CKRecord.ID(recordName: CKRecordNameZoneWideShare, zoneID: shared)
        let bobs = try #require(try await bob.sharedCloudDatabase.record(for: shareID) as? CKShare)
        bobs.addParticipant(try await bob.shareParticipant(forUserRecordID: try await dave.userRecordID()))
        _ = try await bob.sharedCloudDatabase.save(bobs)
        #expect(bobs.participants.map(\.role) == [.owner, .administrator, .publicUser, .privateUser])
        #expect(bobs.participants.map(\.acceptanceStatus) == [.accepted, .accepted, .accepted, .pending])

        _ = try await bob.sharedCloudDatabase.deleteRecord(withID: shareID)
        #expect(try await bob.sharedCloudDatabase.allRecordZones().isEmpty)
        let ownID = CKRecord.ID(recordName: CKRecordNameZoneWideShare, zoneID: zone.zoneID)
        let left = try #require(try await alice.privateCloudDatabase.record(for: ownID) as? CKShare)
        #expect(left.participants.map(\.role) == [.owner, .publicUser, .privateUser])
        // Who came by the link stays when the owner saves the share again.
        left[CKShare.SystemFieldKey.title] = "Kyoto"
        _ = try await alice.privateCloudDatabase.save(left)
        #expect(try await carol.sharedCloudDatabase.allRecordZones().count == 1)
    }

    @Test("users who let themselves be found are found, by operations and by calls")
    func discovery() async throws {
        let devices = try await Devices()
        let (alice, bob) = (devices.device(), devices.device(of: "bob"))
        let name = try await bob.userRecordID()
        let lookup = CKUserIdentity.LookupInfo(userRecordID: name)
        func discovered() async throws -> [CKRecord.ID?] {
            let told = Guarded<[CKRecord.ID?]>([])
            let operation = CKDiscoverUserIdentitiesOperation(userIdentityLookupInfos: [lookup])
            operation.userIdentityDiscoveredBlock = { identity, _ in told.update { $0.append(identity.userRecordID) } }
            try await withCheckedThrowingContinuation { (ended: CheckedContinuation<Void, any Error>) in
                operation.discoverUserIdentitiesResultBlock = { ended.resume(with: $0) }
                alice.add(operation)
            }
            return told.value
        }
        #expect(try await bob.applicationPermissionStatus(for: .userDiscoverability) == .initialState)
        #expect(try await discovered().isEmpty)
        #expect(try await bob.requestApplicationPermission(.userDiscoverability) == .granted)
        #expect(try await bob.applicationPermissionStatus(for: .userDiscoverability) == .granted)
        #expect(try await discovered() == [name])
        #expect(try await alice.userIdentity(forUserRecordID: name)?.userRecordID == name)
        #expect(try await alice.userIdentity(forPhoneNumber: "+44 1") == nil)

        let all = try await alice.allUserIdentitiesFromContacts()
        #expect(all.count >= 1)
        try await withCheckedThrowingContinuation { (ended: CheckedContinuation<Void, any Error>) in
            let operation = CKDiscoverAllUserIdentitiesOperation()
            operation.discoverAllUserIdentitiesResultBlock = { ended.resume(with: $0) }
            alice.add(operation)
        }
    }
}
