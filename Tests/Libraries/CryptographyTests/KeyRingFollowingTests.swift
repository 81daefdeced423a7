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

    @Test func copiesSeeWhatTheFileHas() throws {
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

    /// A file that is broken, missing or another service's is said once, and changes nothing.
    @Test func whatCannotBeReadChangesNothing() throws {
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
