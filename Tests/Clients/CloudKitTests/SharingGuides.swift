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

    @Test("a link that is given twice, and one of two hundred that lead nowhere, do not fail the others")
    func links() async throws {
        let notes = try await NoteZone()
        let share = CKShare(recordZoneID: notes.zone.zoneID)
        share.publicPermission = .readOnly
        try await notes.database.save(share)
        let (url, bob) = (try #require(share.url), notes.devices.device(of: "bob"))
        let nowhere = (0..<200).map { URL(string: "https://test/nowhere-\($0)")! }
        let found = try await bob.shareMetadatas(for: [url] + nowhere + [url])
        let metadata = try #require(found[url]).get()
        #expect(await errorCode { _ = try found[nowhere[0]]?.get() } == .unknownItem)
        let accepted = try await bob.accept([metadata, metadata])
        let root = try accepted.values.first?.get().recordID.recordName
        #expect(accepted.count == 1 && root == share.recordID.recordName)
    }

    @Test("an administrator changes participants, and a participant who deletes the share leaves it")
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
        // A participant who came by the link stays when the owner saves the share again.
        left[CKShare.SystemFieldKey.title] = "Kyoto"
        _ = try await alice.privateCloudDatabase.save(left)
        #expect(try await carol.sharedCloudDatabase.allRecordZones().count == 1)
    }

    @Test("a share gives its owner, its participants and a stranger their part of it")
    func parts() async throws {
        let devices = try await Devices()
        let (alice, bob, carol) = (devices.device(), devices.device(of: "bob"), devices.device(of: "carol"))
        let zone = try await alice.privateCloudDatabase.save(CKRecordZone(zoneName: devices.name("Trip")))
        let root = CKRecord(recordType: devices.name("Photo"), zoneID: zone.zoneID)
        root["title"] = "Kyoto"
        root["place"] = "Japan"
        let share = CKShare(rootRecord: root)
        #expect(root.share?.recordID == share.recordID && share.currentUserParticipant == share.owner)
        share.publicPermission = .readWrite
        let bobs = try await alice.shareParticipant(forUserRecordID: bob.userRecordID())
        bobs.permission = .readOnly
        share.addParticipant(bobs)
        _ = try await alice.privateCloudDatabase.modifyRecords(saving: [root, share], deleting: [])
        #expect(root.share?.recordID == share.recordID)
        #expect(try await alice.privateCloudDatabase.record(for: root.recordID).share?.recordID == share.recordID)

        let url = try #require(share.url)
        let mine = try await alice.shareMetadata(for: url)
        #expect(mine.share.recordID == share.recordID && mine.rootRecordID == root.recordID)
        #expect(mine.participantRole == .owner && mine.participantStatus == .accepted)
        #expect(mine.participantPermission == .readWrite && mine.share.currentUserParticipant?.role == .owner)

        let theirs = try await bob.shareMetadata(for: url)
        #expect(theirs.participantRole == .privateUser && theirs.participantStatus == .pending)
        #expect(
            theirs.participantPermission == .readOnly && theirs.participantType == CKShare.ParticipantType.privateUser)
        let accepted = try await bob.accept(theirs)
        #expect(accepted.currentUserParticipant?.permission == CKShare.Participant.Permission.readOnly)
        #expect(accepted.currentUserParticipant?.acceptanceStatus == .accepted)
        #expect(accepted.currentUserParticipant != accepted.owner)

        let open = try await carol.shareMetadata(for: url)
        #expect(open.participantRole == .publicUser && open.participantStatus == .pending)
        #expect(open.participantPermission == .readWrite && open.share.currentUserParticipant == nil)

        let operation = CKFetchShareMetadataOperation(shareURLs: [url])
        operation.rootRecordDesiredKeys = ["title"]
        let keys = await withCheckedContinuation { (ended: CheckedContinuation<[String]?, Never>) in
            operation.perShareMetadataResultBlock = { ended.resume(returning: (try? $1.get())?.rootRecord?.allKeys()) }
            bob.add(operation)
        }
        #expect(keys == ["title"])
    }

    @Test("operations on shares call the blocks of CloudKit's older form, too")
    func olderBlocks() async throws {
        let devices = try await Devices()
        let (alice, bob) = (devices.device(), devices.device(of: "bob"))
        let zone = try await alice.privateCloudDatabase.save(CKRecordZone(zoneName: devices.name("Trip")))
        let share = CKShare(recordZoneID: zone.zoneID)
        share.publicPermission = .readOnly
        try await alice.privateCloudDatabase.save(share)
        let url = try #require(share.url)
        let wrong = url.deletingLastPathComponent().appendingPathComponent("nothing")
        func ended(_ operation: CKOperation, _ set: (@escaping ((any Error)?) -> Void) -> Void) async -> CKError.Code? {
            await withCheckedContinuation { (ended: CheckedContinuation<CKError.Code?, Never>) in
                set { ended.resume(returning: ($0 as? CKError)?.code) }
                bob.add(operation)
            }
        }

        let metadata = Guarded<[URL: CKShare.Metadata?]>([:])
        let finding = CKFetchShareMetadataOperation(shareURLs: [url, wrong])
        finding.perShareMetadataBlock = { url, found, _ in metadata.update { $0[url] = .some(found) } }
        #expect(await ended(finding) { finding.fetchShareMetadataCompletionBlock = $0 } == .partialFailure)
        #expect(metadata.value.count == 2 && metadata.value[wrong] == .some(nil))

        let accepted = Guarded<[String?]>([])
        let accepting = CKAcceptSharesOperation(shareMetadatas: [try #require(metadata.value[url] ?? nil)])
        accepting.perShareCompletionBlock = { _, share, _ in accepted.update { $0.append(share?.recordID.recordName) } }
        #expect(await ended(accepting) { accepting.acceptSharesCompletionBlock = $0 } == nil)
        #expect(accepted.value == [share.recordID.recordName])

        let name = try await alice.userRecordID()
        let participants = Guarded<[CKRecord.ID?]>([])
        let asking = CKFetchShareParticipantsOperation(
            userIdentityLookupInfos: [.init(phoneNumber: "1"), .init(userRecordID: name)])
        asking.shareParticipantFetchedBlock = { found in
            participants.update { $0.append(found.userIdentity.userRecordID) }
        }
        #expect(await ended(asking) { asking.fetchShareParticipantsCompletionBlock = $0 } == .partialFailure)
        #expect(participants.value == [name])
    }

    @Test("ways to look users up come for lists, and choices of sharing have CloudKit's bits")
    func lookups() {
        #expect(CKUserIdentity.LookupInfo.lookupInfos(withEmails: ["a", "b"]).map(\.emailAddress) == ["a", "b"])
        #expect(CKUserIdentity.LookupInfo.lookupInfos(withPhoneNumbers: ["1"]).map(\.phoneNumber) == ["1"])
        let id = CKRecord.ID(recordName: "_a")
        #expect(CKUserIdentity.LookupInfo.lookupInfos(with: [id]).map(\.userRecordID) == [id])
        #expect(CKAllowedSharingOptions.standard.allowedParticipantAccessOptions.rawValue == 3)
        let share = CKShare(recordZoneID: .default)
        #expect(
            share.owner.participantID == CKCurrentUserDefaultName && share.owner.userIdentity.contactIdentifiers == [])
    }

    @Test("users who let themselves be found are found, by operations and by calls")
    func discovery() async throws {
        let devices = try await Devices()
        let (alice, bob) = (devices.device(), devices.device(of: "bob"))
        let name = try await bob.userRecordID()
        let lookup = CKUserIdentity.LookupInfo(userRecordID: name)
        func discovered() async throws -> [CKRecord.ID?] {
            let discovered = Guarded<[CKRecord.ID?]>([])
            let operation = CKDiscoverUserIdentitiesOperation(userIdentityLookupInfos: [lookup])
            operation.userIdentityDiscoveredBlock = { identity, _ in
                discovered.update { $0.append(identity.userRecordID) }
            }
            try await withCheckedThrowingContinuation { (ended: CheckedContinuation<Void, any Error>) in
                operation.discoverUserIdentitiesResultBlock = { ended.resume(with: $0) }
                alice.add(operation)
            }
            return discovered.value
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
