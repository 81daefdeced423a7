import FanfareCloudKit
import Foundation
import Testing

/// Values that come back as they were set.
@Suite struct ValueTests {
    private static let dates = [
        1_700_000_000.123_456, 1_700_000_000.999_999_9, 978_307_200.000_000_1, 0.000_1, -1.5, 4_102_444_800.000_5,
    ].map { Date(timeIntervalSince1970: $0) }

    @Test("dates in encrypted fields are exact, on every device and in lists")
    func encryptedDates() async throws {
        let devices = try await Devices()
        let database = devices.device().privateCloudDatabase
        let record = CKRecord(recordType: devices.name("Visit"))
        for (number, date) in Self.dates.enumerated() { record.encryptedValues["at\(number)"] = date }
        record.encryptedValues["all"] = Self.dates
        try await database.save(record)
        let fetched = try await devices.device("tablet").privateCloudDatabase.record(for: record.recordID)
        for seen in [record, fetched] {
            for (number, date) in Self.dates.enumerated() {
                #expect(seen.encryptedValues["at\(number)"] as? Date == date, "\(date.timeIntervalSince1970)")
            }
            #expect(seen.encryptedValues["all"] as? [Date] == Self.dates)
        }
        // Equal values saved again are no change.
        let tag = fetched.recordChangeTag
        fetched.encryptedValues["at0"] = Self.dates[0]
        #expect(try await database.save(fetched).recordChangeTag == tag)
        fetched.encryptedValues["at0"] = Self.dates[0].addingTimeInterval(0.000_001)
        #expect(try await database.save(fetched).recordChangeTag != tag)
    }

    @Test("other dates are stored to the millisecond, and the saved object keeps the app's")
    func dates() async throws {
        let devices = try await Devices()
        let database = devices.device().privateCloudDatabase
        let record = CKRecord(recordType: devices.name("Visit"))
        let date = Self.dates[0]
        record["at"] = date
        record["all"] = Self.dates
        try await database.save(record)
        #expect(record["at"] as? Date == date && record["all"] as? [Date] == Self.dates)
        #expect(record.changedKeys().isEmpty)
        let fetched = try await database.record(for: record.recordID)
        #expect(fetched["at"] as? Date == Date(timeIntervalSince1970: 1_700_000_000.123))
        record["note"] = "later"
        try await database.save(record)
        #expect(record["at"] as? Date == date || record["at"] as? Date == fetched["at"] as? Date)
    }

    @Test("a fetched asset is set in another record, field, type, zone and database", arguments: [true, false])
    func assets(isFileThere: Bool) async throws {
        let devices = try await Devices()
        let container = devices.device()
        let database = container.privateCloudDatabase
        let folder = FileManager.default.temporaryDirectory.appendingPathComponent(devices.name("files"))
        try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
        defer { try? FileManager.default.removeItem(at: folder) }
        let file = folder.appendingPathComponent("photo")
        let bytes = Data("the bytes of \(devices.unique)".utf8)
        try bytes.write(to: file)
        let original = CKRecord(recordType: devices.name("Photo"))
        original["photo"] = CKAsset(fileURL: file)
        try await database.save(original)
        let fetched = try await database.record(for: original.recordID)
        let asset = try #require(fetched["photo"] as? CKAsset)
        if !isFileThere, let url = asset.fileURL { try FileManager.default.removeItem(at: url) }
        let zone = try await database.save(CKRecordZone(zoneName: devices.name("Album")))

        var copies = [(database, CKRecord(recordType: original.recordType), "photo")]
        copies.append((database, CKRecord(recordType: original.recordType, zoneID: zone.zoneID), "photo"))
        copies.append((database, CKRecord(recordType: devices.name("Card")), "front"))
        copies.append((container.publicCloudDatabase, CKRecord(recordType: devices.name("Poster")), "image"))
        for (database, copy, key) in copies {
            copy[key] = asset
            try await database.save(copy)
            let seen = try await database.record(for: copy.recordID)
            let url = try #require((seen[key] as? CKAsset)?.fileURL)
            #expect(try Data(contentsOf: url) == bytes)
        }
        // The asset of an object that was just saved, too, and a list.
        let list = CKRecord(recordType: devices.name("List"))
        list["photos"] = [try #require(copies[1].1["photo"] as? CKAsset), asset]
        try await database.save(list)
        #expect((try await database.record(for: list.recordID)["photos"] as? [CKAsset])?.count == 2)
    }

    private func systemFields(_ record: CKRecord, _ format: PropertyListSerialization.PropertyListFormat? = nil) -> Data
    {
        let coder = NSKeyedArchiver(requiringSecureCoding: true)
        record.encodeSystemFields(with: coder)
        if let format { coder.outputFormat = format }
        coder.finishEncoding()
        return coder.encodedData
    }

    @Test("equal records have equal system fields, byte for byte, and older archives are read")
    func systemFieldArchives() async throws {
        let devices = try await Devices()
        let database = devices.device().privateCloudDatabase
        let zone = try await database.save(CKRecordZone(zoneName: devices.name("Notes")))
        let top = CKRecord(recordType: "Note", zoneID: zone.zoneID)
        let note = CKRecord(recordType: "Note", zoneID: zone.zoneID)
        note.setParent(top)
        note["text"] = "a"
        _ = try await database.modifyRecords(saving: [note, top], deleting: [])
        var seen = Set((0..<20).map { _ in systemFields(note) })
        for _ in 0..<20 { seen.insert(systemFields(try await database.record(for: note.recordID))) }
        #expect(seen.count == 1)
        // The two forms: versions before wrote the binary one.
        for data in [systemFields(note), systemFields(note, .binary)] {
            let coder = try NSKeyedUnarchiver(forReadingFrom: data)
            let read = try #require(CKRecord(coder: coder))
            #expect(read.recordID == note.recordID && read.recordChangeTag == note.recordChangeTag)
            #expect(read.parent?.recordID == top.recordID)
            #expect(seen.contains(systemFields(read)))
        }
        note["text"] = "b"
        try await database.save(note)
        #expect(!seen.contains(systemFields(note)))
    }
}
