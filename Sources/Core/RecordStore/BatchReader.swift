package import CloudModel

/// Reads of many things in one question. A store behind a network answers each call in one round trip.
package protocol BatchReader {
    /// Visits the existing records, each once, in no particular order.
    /// - Parameter visit: throws to end the reading, which bounds the memory.
    func records(_ ids: [RecordID], visit: (StoredRecord) throws -> Void) throws

    /// The bytes of the bodies of records together, none of which is read.
    func bodyBytes(_ ids: [RecordID]) throws -> Int

    /// The words by which a record is found, as it was saved with them; none of a record that does not exist.
    func words(of id: RecordID) throws -> [String]

    /// The links of records and of those above them; every record asked for has one.
    /// - Parameter levelsMax: levels above the records asked for; a chain that is longer, or a cycle, ends there.
    func lineage(of ids: [RecordID], levelsMax: Int) throws -> [RecordID: ParentLink]

    /// The files that are known, by checksum.
    func assets(_ checksums: [String]) throws -> [String: StoredAsset]

    /// The devices that are registered, by ID.
    func devices(_ ids: [DeviceID]) throws -> [DeviceID: StoredDevice]
}

extension BatchReader {
    /// The records that exist, by ID.
    package func records(_ ids: [RecordID]) throws -> [RecordID: StoredRecord] {
        var found: [RecordID: StoredRecord] = [:]
        try records(ids) { found[$0.id] = $0 }
        return found
    }
}
