/// Uploads whose bodies are files of this machine: an optional capability of an asset store. Without it bodies are held
/// in memory, within the server's budget.
package protocol AssetUploadFiles: Sendable {
    /// The folder into which bodies of uploads are written.
    var incomingFolder: String { get }

    /// An upload whose bytes are in a file of that folder, which is taken over without a copy in memory. Until it is
    /// kept, its writer removes the file.
    func adopt(_ path: String) -> any IncomingAsset
}
