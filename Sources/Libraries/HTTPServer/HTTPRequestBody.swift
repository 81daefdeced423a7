/// The body of a request, where the admission wanted it.
package enum HTTPRequestBody: Sendable, Equatable {
    /// The whole body in memory; empty when there was none.
    case bytes([UInt8])
    /// The whole body in a temporary file, which the server removes when the request ends; renaming keeps it. The file
    /// is written, not synchronised to the disk.
    case file(path: String, bytes: Int)

    /// The size in bytes.
    package var count: Int {
        switch self {
        case .bytes(let bytes): bytes.count
        case .file(_, let bytes): bytes
        }
    }
}
