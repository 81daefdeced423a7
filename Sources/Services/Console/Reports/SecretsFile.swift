import CloudModel
package import Cryptography
package import JSON
import Synchronization

/// The keys of a ring's file, as operators list, rotate and remove them. Waits for the disk.
package final class SecretsFile: Sendable {
    private let path: String
    /// The process's own ring, which is read again after a change.
    private let following: KeyRing?
    private let work = Mutex(())

    /// - Parameters:
    ///   - path: the ring's file.
    ///   - following: a ring that follows the file.
    package init(_ path: String, following: KeyRing? = nil) {
        self.path = path
        self.following = following
    }

    /// The names of the keys that tokens are sealed with, and the number of former identifier keys.
    package func list() throws -> JSONObject { Self.json(try load()) }

    /// Makes a key the current one: for tokens, or for identifiers and encrypted fields.
    /// - Throws: `BAD_REQUEST` for a ring that is full.
    package func rotate(ofIdentifiers: Bool = false) throws -> JSONObject {
        try change { ring throws(CloudError) in
            let count = ofIdentifiers ? ring.identifierKeys.count : ring.names.count
            guard count < Limits.keyRingKeysMax else {
                throw .badRequest("the ring has \(count) keys, the most that it may have; remove some first")
            }
            if ofIdentifiers { ring.rotateIdentifierKey() } else { ring.rotate() }
        }
    }

    /// Removes a key: what it sealed can no longer be opened.
    /// - Throws: `BAD_REQUEST` for the current key, `NOT_FOUND` for one that the ring lacks.
    package func remove(_ name: String) throws -> JSONObject {
        try change { ring throws(CloudError) in
            guard !ring.remove(name) else { return }
            guard name != ring.currentName else {
                throw .badRequest("the key '\(name)' is the current one; rotate first")
            }
            throw CloudError(.notFound, "there is no key '\(name.prefix(80))'; secrets list names those there are")
        }
    }

    private func change(_ body: (inout KeyRing) throws(CloudError) -> Void) throws -> JSONObject {
        try work.withLock { _ in
            var ring = try load()
            try body(&ring)
            do {
                try ring.save(file: path)
            } catch KeyRingError.inaccessible {
                throw CloudError(
                    .accessDenied, "this process may not write the key ring: use 'fanfare secrets' where its file is")
            }
            _ = try following?.refresh()
            return Self.json(ring)
        }
    }

    private func load() throws(KeyRingError) -> KeyRing { try KeyRing.load(file: path) }

    private static func json(_ ring: KeyRing) -> JSONObject {
        let current = ring.currentName
        return [
            "secrets": .array(ring.names.map { ["name": .string($0), "isCurrent": .bool($0 == current)] }),
            "formerIdentifierKeys": .integer(Int64(ring.identifierKeys.count - 1)),
        ]
    }
}
