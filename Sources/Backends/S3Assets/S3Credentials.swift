import FileSystem
import Synchronization

/// The access key in use: of a file, which is read again when the store refuses the key, or of the environment.
package final class S3Credentials: Sendable {
    private let path: String?
    private let key: Mutex<S3Key>

    /// A key that never changes.
    package init(_ key: S3Key) {
        path = nil
        self.key = Mutex(key)
    }

    /// The key of a file.
    /// - Throws: `S3SettingsError` with the path.
    package init(file path: String) throws(S3SettingsError) {
        self.path = path
        key = Mutex(try Self.read(path))
    }

    /// The key of a file where one is named, else of the environment.
    package static func find(file path: String, environment: [String: String]) throws(S3SettingsError) -> S3Credentials
    {
        guard path.isEmpty else { return try S3Credentials(file: path) }
        guard let key = try S3Key(environment: environment) else {
            throw S3SettingsError(
                "there is no access key for the bucket: name a file with assets-credentials-file, or set AWS_ACCESS_KEY_ID and AWS_SECRET_ACCESS_KEY"
            )
        }
        return S3Credentials(key)
    }

    /// The key to sign with.
    var current: S3Key { key.withLock { $0 } }

    /// Reads the file again; returns true if it has another key than the refused one. A file that cannot be read counts
    /// as unchanged: it may be about to be replaced.
    func renew(_ refused: S3Key) -> Bool {
        if let path, let read = try? Self.read(path) { key.withLock { $0 = read } }
        return current != refused
    }

    private static func read(_ path: String) throws(S3SettingsError) -> S3Key {
        let text: String
        do { text = String(decoding: try Files.read(path), as: UTF8.self) } catch {
            throw S3SettingsError("the setting assets-credentials-file: \(error)")
        }
        return try S3Key(credentials: text, path: path)
    }
}
