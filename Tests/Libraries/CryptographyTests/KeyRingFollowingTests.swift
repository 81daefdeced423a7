import Foundation
import Testing

@testable import Cryptography

/// A ring that follows its file, as services do.
@Suite struct KeyRingFollowingTests {
    private func withFile(_ body: (String) throws -> Void) throws {
        let folder = FileManager.default.temporaryDirectory.appendingPathComponent("ring-\(UUID().uuidString)")
        try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
        defer { try? FileManager.default.removeItem(at: folder) }
        try body(folder.appendingPathComponent("token.keys").path)
    }

    @Test func copiesFollowTheFile() throws {
        try withFile { path in
            var ring = KeyRing.generate()
            try ring.save(file: path)
            let service = try KeyRing.following(file: path)
            let copy = service
            let first = copy.seal([1], purpose: "p")
            let hidden = copy.sealHidden([2], purpose: "p")
            #expect(try !service.refresh() && service == ring)
            let old = ring.currentName
            ring.rotate()
            try ring.save(file: path)
            #expect(try service.refresh() && !service.refresh())
            #expect(copy.currentName == ring.currentName && copy.names.count == 2)
            #expect(try copy.open(first, purpose: "p") == [1] && copy.openHidden(hidden, purpose: "p") == [2])
            #expect(try ring.open(copy.seal([3], purpose: "p"), purpose: "p") == [3])
            let isRemoved = ring.remove(old)
            #expect(isRemoved)
            try ring.save(file: path)
            #expect(try service.refresh())
            #expect(throws: SealedTokenError.self) { try copy.open(first, purpose: "p") }
            #expect(throws: SealedTokenError.self) { try copy.openHidden(hidden, purpose: "p") }
        }
    }

    @Test("stored bytes and identifiers of a former key are read until it is removed, and new ones are the new key's")
    func identifierKeys() throws {
        try withFile { path in
            var ring = KeyRing.generate()
            try ring.save(file: path)
            let service = try KeyRing.following(file: path)
            let storage = StorageKey(service, purpose: "p")
            let (first, old) = (ring, storage.seal([1], for: "a"))
            #expect(try storage.opened(old, for: "a") == ([1], true))
            for round in 1...2 {
                ring.rotateIdentifierKey()
                try ring.save(file: path)
                #expect(try service.refresh() && service == ring && service.identifierKeys.count == round + 1)
                #expect(try KeyRing(parsing: ring.serialized()) == ring)
                #expect(try storage.opened(old, for: "a") == ([1], false))
                let new = storage.seal([2], for: "a")
                #expect(try storage.opened(new, for: "a") == ([2], true))
                #expect(throws: SealedTokenError.forged) { try StorageKey(first, purpose: "p").open(new, for: "a") }
                #expect(throws: SealedTokenError.forged) { try storage.open(new, for: "b") }
                #expect(throws: SealedTokenError.forged) { try StorageKey(ring, purpose: "q").open(new, for: "a") }
            }
            ring.removeFormerIdentifierKeys()
            try ring.save(file: path)
            #expect(try service.refresh() && service.identifierKeys.count == 1)
            #expect(throws: SealedTokenError.forged) { try storage.open(old, for: "a") }
            // A ring that never had the present key is another service's, also with former keys.
            var foreign = KeyRing.generate()
            foreign.rotateIdentifierKey()
            try foreign.save(file: path)
            #expect(throws: KeyRingError.otherIdentifiers(file: path)) { try service.refresh() }
        }
    }

    /// A file that is broken, missing or another service's is said once, and changes nothing.
    @Test func anUnreadableFileChangesNothing() throws {
        try withFile { path in
            let ring = KeyRing.generate()
            try ring.save(file: path)
            let service = try KeyRing.following(file: path)
            try Data("nothing\n".utf8).write(to: URL(fileURLWithPath: path))
            #expect(throws: KeyRingError.self) { try service.refresh() }
            #expect(try !service.refresh() && service == ring)
            try FileManager.default.removeItem(atPath: path)
            #expect(throws: KeyRingError.self) { try service.refresh() }
            try KeyRing.generate().save(file: path)
            #expect(throws: KeyRingError.otherIdentifiers(file: path)) { try service.refresh() }
            #expect(service == ring)
            try ring.save(file: path)
            #expect(try !service.refresh())
        }
    }
}
