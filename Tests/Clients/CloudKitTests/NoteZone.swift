import FanfareCloudKit

/// A user's custom zone of notes, empty, and its user's devices.
struct NoteZone {
    let devices: Devices
    let database: CKDatabase
    let zone: CKRecordZone

    init() async throws {
        devices = try await Devices()
        database = devices.device().privateCloudDatabase
        zone = try await database.save(CKRecordZone(zoneName: devices.name("Notes")))
    }

    /// A new note of the zone, not saved.
    func note(_ name: String, below parent: CKRecord? = nil) -> CKRecord {
        let note = CKRecord(recordType: "Note", recordID: CKRecord.ID(recordName: name, zoneID: zone.zoneID))
        if let parent { note.setParent(parent) }
        return note
    }
}

/// The code of the library's error that the work throws; nil if it throws none.
func errorCode(_ work: () async throws -> Void) async -> CKError.Code? {
    do { try await work() } catch { return (error as? CKError)?.code }
    return nil
}
