package import CloudModel

/// An asset: a file that records may refer to.
package struct StoredAsset: Hashable, Sendable {
    /// Base64 of the SHA-256 of the file's bytes.
    package var checksum: String
    /// Bytes of the file.
    package var size: Int64
    /// The number of fields of records that hold it.
    package var references: Int64
    /// The time of its last upload, or when it lost its last reference.
    package var since: Timestamp

    package init(checksum: String, size: Int64, references: Int64, since: Timestamp) {
        self.checksum = checksum
        self.size = size
        self.references = references
        self.since = since
    }
}

/// Reads of assets.
package protocol AssetReader {
    /// An asset; nil when it was never uploaded, or was swept.
    func asset(_ checksum: String) throws -> StoredAsset?

    /// Assets without a reference since before a time, oldest first.
    func unreferencedAssets(before time: Timestamp, limit: Int) throws -> [StoredAsset]

    /// All assets in the order of their checksums' bytes, after one of them; at most `limit`.
    func assets(after checksum: String, limit: Int) throws -> [StoredAsset]

    /// The checksums of what a user uploaded lately (`noteUploader`).
    func uploads(by user: UserRecordName) throws -> [String]

    /// Returns true if another user uploaded the same bytes lately.
    func isUploaded(_ checksum: String, byOthersThan user: UserRecordName) throws -> Bool
}

/// Writes of assets.
package protocol AssetTransaction: AssetReader {
    /// Adds an uploaded asset; one that is known stays as long again.
    func noteUpload(_ checksum: String, size: Int64, at time: Timestamp) throws

    /// Notes the uploader of an asset, for as long as uploads count (`removeUploads`).
    func noteUploader(_ user: UserRecordName, of checksum: String, at time: Timestamp) throws

    /// Forgets what a user uploaded.
    func forgetUploads(by user: UserRecordName) throws

    /// Adds to an asset's references, or takes away from them.
    func countReferences(to checksum: String, by difference: Int64, at time: Timestamp) throws

    /// Removes an asset.
    func removeAsset(_ checksum: String) throws
}
