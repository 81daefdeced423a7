import FanfareCloudKit
import Foundation
import Testing

/// Results of CloudKit's that public libraries' own stand-ins for it have, whose authors observed them.
@Suite struct ObservedTests {
    @Test("a record of a zone that is not there is zoneNotFound, one that is not there unknownItem")
    func absent() async throws {
        let notes = try await NoteZone()
        let database = notes.database
        let nowhere = CKRecord.ID(recordName: "a", zoneID: CKRecordZone.ID(zoneName: notes.devices.name("nowhere")))
        let missing = CKRecord.ID(recordName: "a", zoneID: notes.zone.zoneID)
        #expect(await errorCode { _ = try await database.record(for: nowhere) } == .zoneNotFound)
        #expect(await errorCode { _ = try await database.record(for: missing) } == .unknownItem)
        let deleted = try await database.modifyRecords(saving: [], deleting: [nowhere, missing])
        #expect(await errorCode { try deleted.deleteResults[nowhere]?.get() } == .zoneNotFound)
        #expect(await errorCode { try deleted.deleteResults[missing]?.get() } == nil)
        #expect(deleted.deleteResults.count == 2)
    }

    @Test("a record that was saved before its deletion is unknownItem, and is made again without its tag")
    func deletedMeanwhile() async throws {
        let notes = try await NoteZone()
        let database = notes.database
        let note = notes.note("note")
        try await database.save(note)
        let known = try await database.record(for: note.recordID)
        try await database.deleteRecord(withID: note.recordID)
        known["title"] = "changed"
        #expect(await errorCode { try await database.save(known) } == .unknownItem)
        let again = notes.note("note")
        try await database.save(again)
        #expect(try await database.record(for: note.recordID).recordChangeTag == again.recordChangeTag)
    }

    @Test("a share is refused without its root record, and is saved alone later")
    func shareAlone() async throws {
        let notes = try await NoteZone()
        let database = notes.database
        let root = notes.note("root")
        let share = CKShare(rootRecord: root, shareID: CKRecord.ID(recordName: "share", zoneID: notes.zone.zoneID))
        let alone = try await database.modifyRecords(saving: [share], deleting: [])
        #expect(await errorCode { _ = try alone.saveResults[share.recordID]?.get() } == .referenceViolation)
        let both = try await database.modifyRecords(saving: [share, root], deleting: [])
        for result in both.saveResults.values { _ = try result.get() }
        let fetched = try #require(try await database.record(for: share.recordID) as? CKShare)
        fetched.publicPermission = .readOnly
        let later = try await database.modifyRecords(saving: [fetched], deleting: [])
        #expect(try later.saveResults[share.recordID]?.get().recordID == share.recordID)
        let deleted = try await database.modifyRecords(saving: [], deleting: [share.recordID])
        try deleted.deleteResults[share.recordID]?.get()
        #expect(try await database.record(for: root.recordID).share == nil)
    }

    @Test("a participant's record needs a parent in the share, and the right to write")
    func sharedDatabase() async throws {
        let notes = try await NoteZone()
        let (root, bob) = (notes.note("root"), notes.devices.device(of: "bob"))
        let share = CKShare(rootRecord: root)
        share.publicPermission = .readWrite
        _ = try await notes.database.modifyRecords(saving: [share, root], deleting: [])
        _ = try await bob.accept(try await bob.shareMetadata(for: try #require(share.url)))
        let shared = bob.sharedCloudDatabase
        let zone = try #require(try await shared.allRecordZones().first?.zoneID)
        let orphan = CKRecord(recordType: root.recordType, recordID: CKRecord.ID(recordName: "orphan", zoneID: zone))
        #expect(await errorCode { try await shared.save(orphan) } == .permissionFailure)
        let own = CKRecord(recordType: root.recordType, recordID: CKRecord.ID(recordName: "orphan"))
        let results = try await shared.modifyRecords(saving: [own], deleting: [])
        let code = await errorCode { _ = try results.saveResults[own.recordID]?.get() }
        #expect(code == .permissionFailure || code == .invalidArguments)
        let child = CKRecord(recordType: root.recordType, recordID: CKRecord.ID(recordName: "child", zoneID: zone))
        child.setParent(CKRecord.ID(recordName: "root", zoneID: zone))
        try await shared.save(child)
        let current = try #require(try await notes.database.record(for: share.recordID) as? CKShare)
        current.publicPermission = .readOnly
        try await notes.database.save(current)
        child["title"] = "changed"
        #expect(await errorCode { try await shared.save(child) } == .permissionFailure)
    }

    @Test("users who came by the link follow the public permission, but for those who were given another one")
    func publicUsers() async throws {
        let notes = try await NoteZone()
        let (root, database) = (notes.note("root"), notes.database)
        let share = CKShare(rootRecord: root)
        share.publicPermission = .readWrite
        _ = try await database.modifyRecords(saving: [share, root], deleting: [])
        let (bob, carol) = (notes.devices.device(of: "bob"), notes.devices.device(of: "carol"))
        let link = try #require(share.url)
        for user in [bob, carol] { _ = try await user.accept(try await user.shareMetadata(for: link)) }
        func code(_ user: CKContainer, _ title: String) async throws -> CKError.Code? {
            let zone = try #require(try await user.sharedCloudDatabase.allRecordZones().first?.zoneID)
            let id = CKRecord.ID(recordName: "root", zoneID: zone)
            let record = try await user.sharedCloudDatabase.record(for: id)
            record["title"] = title
            return await errorCode { try await user.sharedCloudDatabase.save(record) }
        }
        func change(_ change: (CKShare) -> Void) async throws {
            let share = try #require(try await database.record(for: share.recordID) as? CKShare)
            change(share)
            try await database.save(share)
        }
        #expect(try await [code(bob, "1"), code(carol, "2")] == [nil, nil])
        let name = try await bob.userRecordID().recordName
        try await change { share in
            share.participants.first { $0.userIdentity.userRecordID?.recordName == name }?.permission = .readOnly
        }
        #expect(try await [code(bob, "3"), code(carol, "4")] == [.permissionFailure, nil])
        try await change { $0.publicPermission = .readOnly }
        #expect(try await [code(bob, "5"), code(carol, "6")] == [.permissionFailure, .permissionFailure])
        try await change { $0.publicPermission = .readWrite }
        #expect(try await code(carol, "7") == nil)
    }

    @Test("one conflict in a zone fails its batch, and the changed keys of a returned record stay the app's")
    func batch() async throws {
        let notes = try await NoteZone()
        let database = notes.database
        let (first, second) = (notes.note("first"), notes.note("second"))
        _ = try await database.modifyRecords(saving: [first, second], deleting: [])
        let old = try await database.record(for: second.recordID)
        second["title"] = "newer"
        try await database.save(second)
        old["title"] = "older"
        first["title"] = "changed"
        let results = try await database.modifyRecords(saving: [first, old], deleting: [])
        #expect(await errorCode { _ = try results.saveResults[first.recordID]?.get() } == .batchRequestFailed)
        #expect(await errorCode { _ = try results.saveResults[second.recordID]?.get() } == .serverRecordChanged)
        let saved = try #require(
            try await database.modifyRecords(saving: [first], deleting: []).saveResults.values.first)
        try saved.get()["title"] = "not saved"
        #expect(try await database.record(for: first.recordID)["title"] == "changed")
    }

    @Test(
        "a share from an archive has its permission, people and link, and is saved without losing them",
        arguments: [
            false, true,
        ])
    func archivedShare(isWhole: Bool) async throws {
        let notes = try await NoteZone()
        let (root, bob, carol) = (
            notes.note("root"), notes.devices.device(of: "bob"), notes.devices.device(of: "carol")
        )
        let share = CKShare(rootRecord: root)
        share.publicPermission = .readOnly
        let bobs = try await bob.shareParticipant(forUserRecordID: bob.userRecordID())
        bobs.permission = .readWrite
        share.addParticipant(bobs)
        let unsaved = try Self.restored(share, isWhole: isWhole)
        _ = try await notes.database.modifyRecords(saving: [unsaved, root], deleting: [])
        #expect(unsaved.url != nil && unsaved.participants.count == 2)
        let link = try #require(unsaved.url)
        for container in [bob, carol] { _ = try await container.accept(try await container.shareMetadata(for: link)) }

        let fetched = try #require(try await notes.database.record(for: share.recordID) as? CKShare)
        let mine = try Self.restored(fetched, isWhole: isWhole)
        #expect(
            mine.url == fetched.url && mine.publicPermission == .readOnly && mine.participants == fetched.participants)
        #expect(mine.participants.map(\.acceptanceStatus) == fetched.participants.map(\.acceptanceStatus))
        #expect(mine.owner == fetched.owner && mine.currentUserParticipant == mine.owner)
        mine[CKShare.SystemFieldKey.title] = "Notes"
        try await notes.database.save(mine)
        let saved = try #require(try await notes.database.record(for: share.recordID) as? CKShare)
        #expect(Set(saved.participants.map(\.permission)) == [.readWrite, .readOnly] && saved.participants.count == 3)

        for (container, permission) in [(bob, CKShare.ParticipantPermission.readWrite), (carol, .readOnly)] {
            let zone = try #require(try await container.sharedCloudDatabase.allRecordZones().first?.zoneID)
            let id = CKRecord.ID(recordName: share.recordID.recordName, zoneID: zone)
            let theirs = try #require(try await container.sharedCloudDatabase.record(for: id) as? CKShare)
            let kept = try Self.restored(theirs, isWhole: isWhole)
            #expect(kept.currentUserParticipant?.permission == permission && kept.url == link)
        }
    }

    private static func restored(_ share: CKShare, isWhole: Bool) throws -> CKShare {
        let archiver = NSKeyedArchiver(requiringSecureCoding: true)
        if isWhole { share.encode(with: archiver) } else { share.encodeSystemFields(with: archiver) }
        archiver.finishEncoding()
        let coder = try NSKeyedUnarchiver(forReadingFrom: archiver.encodedData)
        coder.requiresSecureCoding = true
        return try #require(CKShare(coder: coder))
    }
}
