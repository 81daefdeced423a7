import Cryptography
import Dispatch
package import RecordStore
import TextForms

#if canImport(Glibc)
    import Glibc
#endif

/// A folder of uploads that are not kept yet.
package struct UploadSpool: Sendable {
    /// Keeps the file of a finished upload, and moves or removes it.
    package typealias Keep = @Sendable (_ path: String, _ contents: AssetContents) async throws -> Void

    package let folder: String
    /// Hashing and synchronising wait for the disk: never on Swift's pool, nor on a thread of the HTTP server.
    private let queue = DispatchQueue(label: "UploadSpool", attributes: .concurrent)

    /// Makes the folder, and as the owner removes what unfinished uploads left there: a visitor leaves the owner's.
    package init(folder: String, role: StoreRole) throws {
        self.folder = folder
        try Folders.make(folder)
        if role == .owner { try Folders.empty(folder) }
    }

    /// Begins an upload in parts.
    /// - Parameter synchronised: whether its bytes are on the disk when it is finished.
    package func makeUpload(synchronised: Bool, keep: @escaping Keep) async throws -> any IncomingAsset {
        let path = "\(folder)/asset-\(Hexadecimal.encode(SecureRandom.bytes(count: 8)))"
        return try await onQueue {
            try IncomingFile(creating: path, in: self, synchronised: synchronised, keep: keep)
        }
    }

    /// An upload whose bytes are in a file of the folder; its writer removes the file until it is kept.
    package func adopt(_ path: String, synchronised: Bool, keep: @escaping Keep) -> any IncomingAsset {
        IncomingFile(adopting: path, in: self, synchronised: synchronised, keep: keep)
    }

    /// Runs work that waits for the disk.
    package func onQueue<Result: Sendable>(_ body: @escaping @Sendable () throws -> Result) async throws -> Result {
        try await withCheckedThrowingContinuation { continuation in
            queue.async { continuation.resume(with: Swift.Result { try body() }) }
        }
    }
}
