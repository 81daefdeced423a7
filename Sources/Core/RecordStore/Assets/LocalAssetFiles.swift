/// Assets that are files of this machine: an optional capability of an asset store.
///
/// It exists for the server: its threads write a body into the file that is kept, and the kernel sends it (`sendfile`).
/// Through the port every byte would be copied through the process twice.
package protocol LocalAssetFiles: AssetUploadFiles {
    /// Removes a kept asset at once, for callers on a thread that may wait for the disk: within a transaction of the
    /// store, so that an upload of the same bytes by another process comes before or after.
    func removeAtOnce(_ checksum: String) throws

    /// The file of a kept asset; nil when there is none. Opened at once: a sweep may remove it.
    func path(of checksum: String) -> String?
}
