/// Assets that are files of this machine: an optional capability of an asset store.
///
/// It exists for the server: a body is written by its threads into the file that is kept, and sent by the kernel
/// (`sendfile`). Through the port every byte would be copied through the process twice, and hashed bodies held in memory.
package protocol LocalAssetFiles: Sendable {
    /// The folder into which bodies of uploads are written; on the file system of the assets.
    var incomingFolder: String { get }

    /// An upload whose bytes are in a file of that folder, which is taken over without a copy. Until it is kept, removing
    /// the file is its writer's responsibility.
    func adopt(_ path: String) -> any IncomingAsset

    /// The file of a kept asset; nil when there is none. Opened at once: a sweep may remove it.
    func path(of checksum: String) -> String?
}
