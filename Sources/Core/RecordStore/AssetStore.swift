package import CloudModel

/// A file that records may refer to.
package struct StoredAsset: Hashable, Sendable {
    /// Base64 of the SHA-256 of the file's bytes.
    package var checksum: String
    /// Bytes of the file.
    package var size: Int64
    /// How many fields of records hold it.
    package var references: Int64
    /// When it was uploaded last, or lost its last reference.
    package var since: Timestamp

    package init(checksum: String, size: Int64, references: Int64, since: Timestamp) {
        self.checksum = checksum
        self.size = size
        self.references = references
        self.since = since
    }
}

/// What can be asked about files of records.
package protocol AssetReader {
    /// A file; nil when nobody has uploaded it, or it was swept.
    func asset(_ checksum: String) throws -> StoredAsset?

    /// Files without a reference since before a time.
    func unreferencedAssets(before time: Timestamp, limit: Int) throws -> [StoredAsset]
}

/// What can be changed about files of records.
package protocol AssetTransaction: AssetReader {
    /// Remembers that a file was uploaded; one that is known stays as long again.
    func noteUpload(_ checksum: String, size: Int64, at time: Timestamp) throws

    /// Counts references to a file up or down.
    func countReferences(to checksum: String, by difference: Int64, at time: Timestamp) throws

    /// Forgets a file.
    func removeAsset(_ checksum: String) throws
}
