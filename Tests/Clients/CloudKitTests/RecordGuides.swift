import FanfareCloudKit
import Foundation
import Testing

/// The way in which Apple's guides save, fetch and change records.
@Suite struct RecordGuides {
    @Test("an app saves a record, fetches it and changes it")
    func saving() async throws {
        let devices = try await Devices()
        let database = devices.device().privateCloudDatabase
        let artist = CKRecord(recordType: devices.name("Artist"))
        try await database.save(artist)

        let artwork = CKRecord(recordType: devices.name("Artwork"), recordID: CKRecord.ID(recordName: "1"))
        artwork["title"] = "Mei Chen" as any CKRecordValue
        artwork["address"] = "123 Main St"
        artwork["year"] = 1998
        artwork["width"] = 2.5
        artwork["isSold"] = true
        artwork["tags"] = ["oil", "canvas"]
        artwork["made"] = Date(timeIntervalSinceReferenceDate: 1000)
        artwork["place"] = CLLocation(latitude: 52.5, longitude: 13.4)
        artwork["thumbnail"] = Data([1, 2, 3])
        artwork["artist"] = CKRecord.Reference(record: artist, action: .deleteSelf)
        artwork.setObject("x" as NSString, forKey: "note")
        #expect(artwork.changedKeys().count == 11)
        let saved = try await database.save(artwork)
        #expect(saved === artwork && artwork.recordChangeTag != nil && artwork.changedKeys().isEmpty)

        let fetched = try await database.record(for: artwork.recordID)
        #expect(fetched["title"] as? String == "Mei Chen")
        #expect(fetched["year"] as? Int == 1998 && fetched["year"] as? Int64 == 1998)
        let width: Double? = fetched["width"]
        #expect(width == 2.5)
        #expect(fetched["isSold"] as? Bool == true)
        #expect(fetched["tags"] as? [String] == ["oil", "canvas"])
        #expect(fetched["made"] as? Date == Date(timeIntervalSinceReferenceDate: 1000))
        #expect((fetched["place"] as? CLLocation)?.coordinate.latitude == 52.5)
        #expect(fetched["thumbnail"] as? Data == Data([1, 2, 3]))
        #expect((fetched["artist"] as? CKRecord.Reference)?.recordID == artist.recordID)
        #expect(fetched.creatorUserRecordID?.recordName == CKCurrentUserDefaultName)
        #expect(fetched.recordID == artwork.recordID && fetched.creationDate != nil)

        fetched["note"] = nil
        try await database.save(fetched)
        #expect(try await database.record(for: artwork.recordID)["note"] == nil)
        // The artist's deletion takes the artwork with it.
        try await database.deleteRecord(withID: artist.recordID)
        await #expect(throws: CKError.self) { try await database.record(for: artwork.recordID) }
    }

    @Test("a record is walked through, and a default says the type of a field")
    func fields() async throws {
        let record = CKRecord(recordType: "Note")
        record["title"] = "Kyoto"
        record["year"] = 1998
        record.encryptedValues["secret"] = "x"
        var listed: [String] = []
        for (key, value) in record { listed.append("\(key) \(value)") }
        #expect(listed == ["title Kyoto", "year 1998"])
        let title = record["title"] ?? "Untitled"
        #expect(title.uppercased() == "KYOTO")
        let subtitle = record["subtitle"] ?? "Untitled"
        #expect(subtitle.uppercased() == "UNTITLED")
        let raw = record["year"]
        #expect(raw as? Int == 1998 && record["nothing"] == nil)
        let action: CKRecord.Reference.Action = .deleteSelf
        #expect(CKRecord.Reference(record: record, action: action).action == .deleteSelf)
    }

    @Test("key-value coding reads properties, and sets and reads several fields")
    func keyValueCoding() {
        let record = CKRecord(recordType: "Note")
        record.setValuesForKeys(["title": "Kyoto", "year": 1998, "gone": NSNull()])
        #expect(record.allKeys() == ["title", "year"])
        #expect(record.value(forKey: "recordID") as? CKRecord.ID == record.recordID)
        #expect(record.value(forKey: "recordType") as? String == "Note" && record.value(forKey: "none") == nil)
        let values = record.dictionaryWithValues(forKeys: ["title", "none"])
        #expect(values["title"] as? String == "Kyoto" && values["none"] is NSNull)
    }

    @Test("the names of CloudKit's first years are there, and an error is made of an NSError")
    func olderNames() {
        #expect(CKOwnerDefaultName == CKCurrentUserDefaultName && CKRecordZoneDefaultName == "_defaultZone")
        #expect(CKRecordCreationDateKey == "creationDate" && CKRecordTypeUserRecord == "Users")
        #expect(CKRecordZone.default().encryptionScope == .perRecord)
        let error = CKError(
            _nsError: NSError(domain: CKErrorDomain, code: 14, userInfo: [NSLocalizedDescriptionKey: "changed"]))
        #expect(error.code == CKErrorCode.serverRecordChanged && error.localizedDescription.contains("changed"))
    }

    @Test("system fields are named in sort descriptors and predicates")
    func systemFieldKeys() async throws {
        let devices = try await Devices()
        let database = devices.device().privateCloudDatabase
        let type = devices.name("Note")
        for _ in 0..<2 { try await database.save(CKRecord(recordType: type)) }
        typealias Key = CKRecord.SystemFieldKey
        let query = CKQuery(
            recordType: type,
            predicate: NSPredicate(format: "%K > %@", Key.modificationDate, Date(timeIntervalSince1970: 0)))
        query.sortDescriptors = [
            NSSortDescriptor(key: Key.creationDate, ascending: false),
            NSSortDescriptor(key: Key.recordID, ascending: true),
        ]
        let found = try await database.records(matching: query).matchResults.map { try $0.1.get() }
        #expect(found.count == 2)
        let times = found.compactMap(\.creationDate)
        #expect(times.count == 2 && times == times.sorted(by: >))
    }

    @Test("a conflict has all three versions, and the app merges")
    func conflict() async throws {
        let devices = try await Devices()
        let (phone, pad) = (devices.device("phone"), devices.device("pad"))
        let record = CKRecord(recordType: devices.name("Note"))
        record["text"] = "first"
        try await phone.privateCloudDatabase.save(record)
        let other = try await pad.privateCloudDatabase.record(for: record.recordID)
        other["text"] = "theirs"
        try await pad.privateCloudDatabase.save(other)

        record["text"] = "mine"
        do {
            try await phone.privateCloudDatabase.save(record)
            Issue.record("the save went through")
        } catch let error as CKError where error.code == .serverRecordChanged {
            let server = try #require(error.serverRecord)
            #expect(server["text"] as? String == "theirs")
            #expect(error.ancestorRecord?["text"] as? String == "first")
            #expect(error.clientRecord === record)
            server["text"] = "merged"
            try await phone.privateCloudDatabase.save(server)
        }
        #expect(try await pad.privateCloudDatabase.record(for: record.recordID)["text"] as? String == "merged")
        // An app that does not care saves the changed keys over the stored record.
        let results = try await phone.privateCloudDatabase.modifyRecords(
            saving: [record], deleting: [], savePolicy: .changedKeys)
        _ = try #require(results.saveResults[record.recordID]).get()
        #expect(try await pad.privateCloudDatabase.record(for: record.recordID)["text"] as? String == "mine")
    }

    @Test("system fields are archived and saved over")
    func systemFields() async throws {
        let devices = try await Devices()
        let database = devices.device().privateCloudDatabase
        let record = CKRecord(recordType: devices.name("Note"))
        record["text"] = "a"
        try await database.save(record)
        let archiver = NSKeyedArchiver(requiringSecureCoding: true)
        record.encodeSystemFields(with: archiver)
        archiver.finishEncoding()

        let unarchiver = try NSKeyedUnarchiver(forReadingFrom: archiver.encodedData)
        unarchiver.requiresSecureCoding = true
        let restored = try #require(CKRecord(coder: unarchiver))
        #expect(restored.recordID == record.recordID && restored.recordChangeTag == record.recordChangeTag)
        #expect(restored.allKeys().isEmpty)
        restored["text"] = "b"
        try await database.save(restored)
        #expect(try await database.record(for: record.recordID)["text"] as? String == "b")

        let data = try NSKeyedArchiver.archivedData(withRootObject: restored, requiringSecureCoding: true)
        let whole = try NSKeyedUnarchiver.unarchivedObject(ofClass: CKRecord.self, from: data)
        #expect(whole?["text"] as? String == "b")
    }

    @Test("files are uploaded with their records and come down with them")
    func assets() async throws {
        let devices = try await Devices()
        let (phone, pad) = (devices.device("phone"), devices.device("pad"))
        let file = FileManager.default.temporaryDirectory.appendingPathComponent(devices.name("picture"))
        let bytes = Data((0..<200_000).map { UInt8(truncatingIfNeeded: $0 &* 31) })
        try bytes.write(to: file)
        defer { try? FileManager.default.removeItem(at: file) }
        let record = CKRecord(recordType: devices.name("Photo"))
        record["image"] = CKAsset(fileURL: file)
        try await phone.privateCloudDatabase.save(record)

        let fetched = try await pad.privateCloudDatabase.record(for: record.recordID)
        let image = try #require(fetched["image"] as? CKAsset)
        #expect(try Data(contentsOf: #require(image.fileURL)) == bytes)
        fetched["caption"] = "sunset"
        try await pad.privateCloudDatabase.save(fetched)

        let missing = CKRecord(recordType: devices.name("Photo"))
        missing["image"] = CKAsset(fileURL: URL(fileURLWithPath: "/nowhere"))
        let error = await #expect(throws: CKError.self) { try await phone.privateCloudDatabase.save(missing) }
        #expect(error?.code == .assetFileNotFound)
    }

    @Test("errors have their codes")
    func errors() async throws {
        let devices = try await Devices()
        let container = devices.device()
        let database = container.privateCloudDatabase
        let missing = CKRecord.ID(recordName: "nothing")
        #expect(await errorCode { _ = try await database.record(for: missing) } == .unknownItem)
        let lost = CKRecord.ID(recordName: "a", zoneID: CKRecordZone.ID(zoneName: "nowhere"))
        #expect(await errorCode { _ = try await database.record(for: lost) } == .zoneNotFound)
        let zone = CKRecordZone(zoneName: "a")
        #expect(await errorCode { try await container.publicCloudDatabase.save(zone) } == .badDatabase)
        let wrong = CKRecord(recordType: devices.name("Note"))
        wrong.setValue(NSObject(), forKey: "object")
        #expect(await errorCode { try await database.save(wrong) } == .invalidArguments)
        let many = (0..<401).map { _ in CKRecord(recordType: devices.name("Note")) }
        #expect(await errorCode { _ = try await database.modifyRecords(saving: many, deleting: []) } == .limitExceeded)
        let anonymous = CKContainer(configuration: devices.configuration())
        #expect(await errorCode { try await anonymous.privateCloudDatabase.save(many[0]) } == .notAuthenticated)
        #expect(try await anonymous.accountStatus() == .noAccount)
        #expect(try await container.accountStatus() == .available)
        let error = CKError(.serverRecordChanged, userInfo: [CKErrorRetryAfterKey: 3.0])
        #expect(error.retryAfterSeconds == 3 && (error as NSError).domain == CKErrorDomain)
    }
}
