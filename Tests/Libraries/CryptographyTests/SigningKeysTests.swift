import Cryptography
import Foundation
import TestSupport
import Testing

/// Files with private keys.
@Suite struct SigningKeysTests {
    @Test("the first start makes a key that only its owner can read, later ones read it")
    func firstStart() throws {
        let folder = TemporaryFolder()
        let file = folder.path("vapid.pem")
        let made = try SigningKeys.kept(file: file)
        #expect(made.all.count == 1)
        #expect(try FileManager.default.attributesOfItem(atPath: file)[.posixPermissions] as? Int == 0o600)
        let read = try SigningKeys.kept(file: file)
        #expect(read.current.publicPoint == made.current.publicPoint && read.all.count == 1)
        #expect(
            try FileManager.default.contentsOfDirectory(atPath: folder.url.path) == ["vapid.pem"],
            "no other version stays")
    }

    @Test("processes that start at once have one key")
    func race() async throws {
        let folder = TemporaryFolder()
        let file = folder.path("vapid.pem")
        let points = try await withThrowingTaskGroup(of: [UInt8].self) { group in
            for _ in 0..<16 { group.addTask { try SigningKeys.kept(file: file).current.publicPoint } }
            return try await group.reduce(into: Set<[UInt8]>()) { $0.insert($1) }
        }
        #expect(points.count == 1)
    }

    @Test("the first key is the current one, and the others stay", arguments: ["\n", "\r\n"])
    func rotation(newline: String) throws {
        let keys = (0..<3).map { _ in SigningKey.generate() }
        let text = keys.map(\.pem).joined(separator: "\n").split(separator: "\n", omittingEmptySubsequences: false)
            .joined(separator: newline)
        let read = try SigningKeys(parsing: Array(text.utf8))
        #expect(read.all.map(\.publicPoint) == keys.map(\.publicPoint))
        #expect(read.current.publicPoint == keys[0].publicPoint)
        #expect(keys.allSatisfy { read[$0.publicPoint]?.publicPoint == $0.publicPoint })
        #expect(read[SigningKey.generate().publicPoint] == nil && read[[]] == nil)
    }

    @Test("a file without a key, or with another kind, is refused and stays")
    func malformed() throws {
        let folder = TemporaryFolder()
        let whole = SigningKey.generate().pem
        let texts = [
            "", "x", String(whole.dropLast(40)), whole + "more", SigningKey.generate().publicKeyPEM,
            whole.replacing("MIGHAgEA", with: "AAAAAAAA"), SignatureTests.p384,
        ]
        for (number, text) in texts.enumerated() {
            let file = folder.path("\(number)")
            try text.write(toFile: file, atomically: true, encoding: .utf8)
            let error = #expect(throws: KeyRingError.self) { try SigningKeys.kept(file: file) }
            // An error shows nothing of a key.
            #expect(!"\(String(describing: error))".contains(whole.split(separator: "\n")[1]))
            #expect(try String(contentsOfFile: file, encoding: .utf8) == text)
        }
        #expect(throws: KeyRingError.self) { try SigningKeys.kept(file: folder.path("no folder/file")) }
    }
}
