import FanfareCloudKit
import Foundation
import Testing

/// What libraries over CloudKit do with records and archives, in their shape: generic values with their times, records
/// of any subclass from an archive, archives of several things.
@Suite struct AppShapeTests {
    private let record = CKRecord(recordType: "Reminder", recordID: CKRecord.ID(recordName: "1:reminders"))

    /// Every kind of value that a column has.
    private static var columns: [any CKRecordValueProtocol & Equatable] {
        [
            Int64(7), UInt64(7), 7, true, 1.5, Float(1.5), "text", Data([1, 2]), Date(timeIntervalSince1970: 1.25),
            ["a", "b"], [Int64(1)], [1.5], [Data([1])], [Date(timeIntervalSince1970: 1)],
        ]
    }

    /// Sets a value with the time of its change, unless it is there or newer: true if it was set.
    private func set(_ value: some CKRecordValueProtocol & Equatable, _ key: String, at time: Int64) -> Bool {
        let values = record.encryptedValues
        guard (values["time_\(key)"] as? Int64 ?? -1) <= time, values[key] != value else { return false }
        values[key] = value
        values["time_\(key)"] = max(values["time_\(key)"] as? Int64 ?? -1, time)
        return true
    }

    private func set(any value: any CKRecordValueProtocol & Equatable, _ key: String, at time: Int64) -> Bool {
        set(value, key, at: time)
    }

    @Test("a value of any type is set once, and again only later and if it differs", arguments: columns.indices)
    func columnValues(index: Int) {
        let value = Self.columns[index]
        #expect(set(any: value, "column", at: 5))
        #expect(!set(any: value, "column", at: 6))
        #expect(!set("other", "column", at: 4) && set("other", "column", at: 5))
        #expect(record.encryptedValues["time_column"] as? Int64 == 5 && record.encryptedValues["column"] == "other")
    }

    @Test("a value that is read without its type is set in another record as it is", arguments: columns.indices)
    func untypedValues(index: Int) throws {
        record.encryptedValues["column"] = Self.columns[index]
        let read = record.encryptedValues["column"] as (any __CKRecordObjCValue)?
        let value = try #require(read as? any CKRecordValueProtocol & Equatable)
        let other = AppShapeTests()
        #expect(other.set(any: value, "column", at: 1))
        #expect(!other.set(any: Self.columns[index], "column", at: 2))
        let copied = other.record.encryptedValues["column"] as (any __CKRecordObjCValue)?
        #expect((copied as? NSObject)?.isEqual(read) == true)
    }

    @Test("a value is of the first type of a list that holds it, and of none before")
    func castsInOrder() {
        func kind(_ value: (any __CKRecordObjCValue)?) -> String {
            if value is Int64 { return "integer" }
            if value is Double { return "double" }
            if value is String { return "text" }
            if value is Data { return "bytes" }
            return value is Date ? "date" : "none"
        }
        let kinds: [(any CKRecordValueProtocol, String)] = [
            (Int64(3), "integer"), (true, "integer"), (2.5, "double"), ("3", "text"), (Data([3]), "bytes"),
            (Date(timeIntervalSince1970: 3), "date"), (["3"], "none"),
        ]
        for (value, expected) in kinds {
            record["column"] = value
            #expect(kind(record["column"]) == expected, "\(value)")
        }
    }

    private func archived(_ write: (NSKeyedArchiver) -> Void) -> Data {
        let archiver = NSKeyedArchiver(requiringSecureCoding: true)
        write(archiver)
        return archiver.encodedData
    }

    private func decoded<Record: CKRecord>(_ type: Record.Type, _ data: Data) throws -> (Record, Int?) {
        let coder = try NSKeyedUnarchiver(forReadingFrom: data)
        coder.requiresSecureCoding = true
        let record = try #require(Record(coder: coder))
        return (record, coder.decodeObject(of: NSNumber.self, forKey: "tag")?.intValue)
    }

    @Test("records and shares are archived beside other values, whole and as system fields")
    func archivesOfRecords() throws {
        record["title"] = "Get milk"
        record.encryptedValues["note"] = "oat"
        let share = CKShare(rootRecord: record, shareID: CKRecord.ID(recordName: "share-1:reminders"))
        share[CKShare.SystemFieldKey.title] = "List"
        share.publicPermission = .readWrite
        for isWhole in [false, true] {
            let write: (CKRecord) -> Data = { record in
                archived {
                    if isWhole { record.encode(with: $0) } else { record.encodeSystemFields(with: $0) }
                    $0.encode(NSNumber(value: 3), forKey: "tag")
                }
            }
            let (copy, tag) = try decoded(CKRecord.self, write(record))
            #expect(copy.recordID == record.recordID && copy.recordType == "Reminder" && tag == 3)
            #expect(copy["title"] == (isWhole ? "Get milk" : nil) && copy.share?.recordID == share.recordID)
            #expect(copy.encryptedValues["note"] == (isWhole ? "oat" : nil))
            let (shared, _) = try decoded(CKShare.self, write(share))
            #expect(shared.recordID == share.recordID && shared.publicPermission == .readWrite)
            #expect(try decoded(CKRecord.self, write(share)).0.recordType == CKRecord.SystemType.share)
        }
    }

    @Test("a copy of a share is a share, which is changed apart from it")
    func copiesOfShares() throws {
        let share = CKShare(rootRecord: record)
        share.publicPermission = .readOnly
        share[CKShare.SystemFieldKey.title] = "List"
        let copy = try #require((share as CKRecord).copy() as? CKShare)
        #expect(copy.recordID == share.recordID && copy.publicPermission == .readOnly)
        copy.publicPermission = .none
        copy[CKShare.SystemFieldKey.title] = "Copy"
        #expect(share.publicPermission == .readOnly && share[CKShare.SystemFieldKey.title] == "List")
        #expect(record.copy() is CKRecord && !(record.copy() is CKShare))
    }

    @Test("an identifier is archived at the top, beside a text")
    func archivesOfIdentifiers() throws {
        let id = CKRecord.ID(recordName: "1:reminders", zoneID: CKRecordZone.ID(zoneName: "zone", ownerName: "owner"))
        let data = archived {
            id.encode(with: $0)
            $0.encode("saveRecord", forKey: "changeType")
        }
        let coder = try NSKeyedUnarchiver(forReadingFrom: data)
        coder.requiresSecureCoding = true
        #expect(CKRecord.ID(coder: coder) == id)
        #expect(coder.decodeObject(of: NSString.self, forKey: "changeType") as String? == "saveRecord")
    }

    @Test("a token goes through the archives of old and new, as an app's settings keep it")
    func tokens() throws {
        let token = try JSONDecoder().decode([CKServerChangeToken].self, from: Data(#"["token"]"#.utf8))[0]
        let old = NSKeyedArchiver.archivedData(withRootObject: token)
        #expect(NSKeyedUnarchiver.unarchiveObject(with: old) as? CKServerChangeToken == token)
        let new = try NSKeyedArchiver.archivedData(withRootObject: token, requiringSecureCoding: true)
        #expect(try NSKeyedUnarchiver.unarchivedObject(ofClass: CKServerChangeToken.self, from: new) == token)
    }
}
