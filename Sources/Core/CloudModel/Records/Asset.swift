/// A file that belongs to a record. Its bytes are kept apart, by their checksum.
package struct Asset: Hashable, Sendable {
    /// Base64 of the SHA-256 of the file's bytes.
    package var fileChecksum: String
    /// Bytes of the file.
    package var size: Int64
    /// The receipt that an upload answers. A save sends it back to prove that the caller may use the file; never
    /// stored.
    package var receipt: String?

    package init(fileChecksum: String, size: Int64, receipt: String? = nil) {
        self.fileChecksum = fileChecksum
        self.size = size
        self.receipt = receipt
    }
}
