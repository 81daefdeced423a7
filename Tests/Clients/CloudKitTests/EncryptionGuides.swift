import FanfareCloudKit
import Foundation
import Testing

/// The way in which Apple's guides keep fields encrypted.
@Suite struct EncryptionGuides {
    @Test("encrypted values are kept apart, and come back open to their user")
    func encryptedValues() async throws {
        let devices = try await Devices()
        let (phone, pad) = (devices.device("phone"), devices.device("pad"))
        let record = CKRecord(recordType: devices.name("Patient"))
        record["ward"] = "3B"
        record.encryptedValues["name"] = "Ann Lee"
        record.encryptedValues["weight"] = 71.5
        record.encryptedValues["visits"] = [Date(timeIntervalSince1970: 1000)]
        #expect(record["name"] == nil && record.allKeys() == ["ward"] && record.changedKeys() == ["ward"])
        #expect(record.encryptedValues.changedKeys() == ["name", "visits", "weight"])
        #expect(!record.description.contains("Ann Lee") && record.allTokens() == ["3b"])
        try await phone.privateCloudDatabase.save(record)
        #expect(record.encryptedValues.changedKeys().isEmpty)

        let fetched = try await pad.privateCloudDatabase.record(for: record.recordID)
        #expect(fetched.encryptedValues["name"] as? String == "Ann Lee")
        let weight: Double? = fetched.encryptedValues["weight"]
        #expect(weight == 71.5)
        #expect(fetched.encryptedValues["visits"] as? [Date] == [Date(timeIntervalSince1970: 1000)])
        #expect(fetched.encryptedValues.allKeys() == ["name", "visits", "weight"])
        #expect(fetched["name"] == nil && fetched["ward"] as? String == "3B")

        fetched.encryptedValues["name"] = "Ann Li"
        fetched.encryptedValues["weight"] = nil
        let data = try NSKeyedArchiver.archivedData(withRootObject: fetched, requiringSecureCoding: true)
        let restored = try #require(try NSKeyedUnarchiver.unarchivedObject(ofClass: CKRecord.self, from: data))
        try await pad.privateCloudDatabase.save(restored)
        let again = try await phone.privateCloudDatabase.record(for: record.recordID)
        #expect(again.encryptedValues["name"] as? String == "Ann Li")
        #expect(again.encryptedValues.allKeys() == ["name", "visits"])

        let query = CKQuery(recordType: record.recordType, predicate: NSPredicate(format: "name == %@", "Ann Li"))
        let error = await #expect(throws: CKError.self) {
            try await phone.privateCloudDatabase.records(matching: query)
        }
        #expect(error?.code == .invalidArguments)
    }

    @Test("a conflict shows the encrypted values of all versions")
    func conflict() async throws {
        let devices = try await Devices()
        let (phone, pad) = (devices.device("phone"), devices.device("pad"))
        let record = CKRecord(recordType: devices.name("Patient"))
        record.encryptedValues["name"] = "first"
        try await phone.privateCloudDatabase.save(record)
        let other = try await pad.privateCloudDatabase.record(for: record.recordID)
        other.encryptedValues["name"] = "theirs"
        try await pad.privateCloudDatabase.save(other)
        record.encryptedValues["name"] = "mine"
        let error = await #expect(throws: CKError.self) { try await phone.privateCloudDatabase.save(record) }
        #expect(error?.code == .serverRecordChanged)
        #expect(error?.serverRecord?.encryptedValues["name"] as? String == "theirs")
        #expect(error?.ancestorRecord?.encryptedValues["name"] as? String == "first")
    }

    @Test("what cannot be encrypted is an invalid argument")
    func refused() async throws {
        let devices = try await Devices()
        let container = devices.device()
        func code(_ record: CKRecord, _ database: CKDatabase) async -> CKError.Code? {
            do { try await database.save(record) } catch { return (error as? CKError)?.code }
            return nil
        }
        let reference = CKRecord(recordType: devices.name("Patient"))
        reference.encryptedValues["doctor"] = CKRecord.Reference(recordID: reference.recordID, action: .none)
        #expect(await code(reference, container.privateCloudDatabase) == .invalidArguments)
        let open = CKRecord(recordType: devices.name("Patient"))
        open.encryptedValues["name"] = "Ann Lee"
        #expect(await code(open, container.publicCloudDatabase) == .invalidArguments)
    }
}
