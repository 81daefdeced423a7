import CloudModel
package import Cryptography
import Dispatch
import TextForms

#if canImport(Darwin)
    import Darwin
#else
    import Glibc
#endif

/// The files of one container's environment, named by what is in them, and the sealed texts that speak of them.
package struct AssetStorage: Sendable {
    /// Where bodies of uploads are written; on the same file system as the files, so that they can be renamed.
    package let incoming: String
    /// The texts that let clients upload, use and download files.
    package let tokens: AssetTokens
    private let folder: String
    /// Hashing and synchronising wait for the disk: never on Swift's pool, nor on a thread of the HTTP server.
    private let queue = DispatchQueue(label: "fanfare.assets", attributes: .concurrent)

    /// Makes the folder, and removes what unfinished uploads left there.
    /// - Parameter folder: this environment's own.
    package init(folder: String, keys: KeyRing) throws {
        self.folder = folder
        incoming = "\(folder)/incoming"
        tokens = AssetTokens(keys)
        try Self.makeFolder(incoming)
        try Self.empty(incoming)
    }

    /// Where a file is, whether it is there or not; nil for what is no checksum.
    package func path(of checksum: String) -> String? {
        guard let hash = Base64.standard.decode(checksum), hash.count == SHA256.bytes else { return nil }
        let name = Hexadecimal.encode(hash)
        return "\(folder)/\(name.prefix(2))/\(name)"
    }

    /// Whether a file is there.
    package func holds(_ checksum: String) -> Bool { path(of: checksum).map { access($0, R_OK) == 0 } ?? false }

    /// The checksum and size of a body that was uploaded; after that its bytes are on the disk.
    /// - Parameter file: its path; nil for no bytes, for which a file is made.
    func takeIn(_ file: String?) async throws -> (file: String, checksum: String, size: Int64) {
        try await onQueue {
            let path = file ?? "\(incoming)/empty-\(Hexadecimal.encode(SecureRandom.bytes(count: 8)))"
            let descriptor = open(path, O_RDONLY | O_CLOEXEC | (file == nil ? O_CREAT : 0), 0o600)
            guard descriptor >= 0 else { throw AssetFileError("open", path) }
            defer { close(descriptor) }
            guard let (hash, bytes) = SHA256.hash(fileDescriptor: descriptor) else {
                throw AssetFileError("read", path)
            }
            guard fsync(descriptor) == 0 else { throw AssetFileError("write", path) }
            return (path, Base64.standard.encode(hash), bytes)
        }
    }

    /// Gives a file its name; after that it is found by it, also after a crash.
    func keep(_ file: String, as checksum: String) async throws {
        try await onQueue {
            guard let path = path(of: checksum) else { throw AssetFileError("name", file) }
            let folder = String(path[..<path.lastIndex(of: "/")!])
            try Self.makeFolder(folder)
            guard rename(file, path) == 0 else { throw AssetFileError("rename", file) }
            try Self.synchronize(folder)
            try Self.synchronize(self.folder)
        }
    }

    /// Removes a file; nothing when it is not there.
    func remove(_ checksum: String) {
        if let path = path(of: checksum) { unlink(path) }
    }

    private func onQueue<Result: Sendable>(_ body: @escaping @Sendable () throws -> Result) async throws -> Result {
        try await withCheckedThrowingContinuation { continuation in
            queue.async { continuation.resume(with: Swift.Result { try body() }) }
        }
    }

    private static func makeFolder(_ path: String) throws {
        var built = path.hasPrefix("/") ? "" : "."
        for part in path.split(separator: "/") {
            built += "/\(part)"
            guard mkdir(built, 0o700) == 0 || errno == EEXIST else { throw AssetFileError("make the folder", built) }
        }
    }

    private static func empty(_ path: String) throws {
        guard let stream = opendir(path) else { throw AssetFileError("read the folder", path) }
        defer { closedir(stream) }
        while let entry = readdir(stream) {
            let name = withUnsafePointer(to: &entry.pointee.d_name) {
                $0.withMemoryRebound(to: CChar.self, capacity: 256) { String(cString: $0) }
            }
            if name != "." && name != ".." { unlink("\(path)/\(name)") }
        }
    }

    private static func synchronize(_ folder: String) throws {
        let descriptor = open(folder, O_RDONLY | O_CLOEXEC)
        guard descriptor >= 0 else { throw AssetFileError("open the folder", folder) }
        defer { close(descriptor) }
        guard fsync(descriptor) == 0 else { throw AssetFileError("write the folder", folder) }
    }
}

/// What the system said when a file of a record could not be kept.
struct AssetFileError: Error, CustomStringConvertible {
    let description: String

    init(_ attempt: String, _ path: String) {
        description = "cannot \(attempt) \(path): \(String(cString: strerror(errno)))"
    }
}
