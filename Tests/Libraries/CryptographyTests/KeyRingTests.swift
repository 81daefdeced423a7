import Cryptography
import Foundation
import Testing
import TextForms

@Suite struct KeyRingTests {
    @Test func `a new ring has one key, and no two are alike`() {
        let ring = KeyRing.generate()
        #expect(ring.names == [ring.currentName])
        #expect(KeyRing.generate() != ring)
        #expect(ring.identifierKey != KeyRing.generate().identifierKey)
    }

    @Test func `a ring survives its text, with all its keys`() throws {
        var ring = KeyRing.generate()
        ring.rotate()
        ring.rotate()
        #expect(ring.names.count == 3)
        #expect(try KeyRing(parsing: ring.serialized()) == ring)
        let commented = Array("# made by hand\n\n".utf8) + ring.serialized() + Array("  # end".utf8)
        #expect(try KeyRing(parsing: commented) == ring)
    }

    @Test func `the current key cannot be removed`() {
        var ring = KeyRing.generate()
        let first = ring.currentName
        #expect(ring.remove(first) == false)
        ring.rotate()
        let identifierKey = ring.identifierKey
        #expect(ring.remove("nobody") == false)
        #expect(ring.remove(first) == true)
        #expect(ring.names == [ring.currentName])
        #expect(ring.identifierKey == identifierKey)
    }

    private static let key = String(repeating: "A", count: 43)

    @Test(arguments: [
        ("", 1), ("key-ring 2\n", 1), ("current a\n", 1), ("key-ring 1\nkey-ring 1\n", 2),
        ("key-ring 1\ncurrent a\ncurrent a\n", 3),
        ("key-ring 1\nkey a short\n", 2), ("key-ring 1\nkey a \(key)A\n", 2),
        ("key-ring 1\nkey a \(key)\nkey a \(key)\n", 3),
        ("key-ring 1\nkey a/b \(key)\n", 2), ("key-ring 1\nkey \(String(repeating: "k", count: 33)) \(key)\n", 2),
        ("key-ring 1\nkey é \(key)\n", 2),
        ("key-ring 1\nidentifier-key \(key)\nidentifier-key \(key)\n", 3), ("key-ring 1\nidentifier-key x\n", 2),
        ("key-ring 1\nwhat 1\n", 2), ("key-ring 1\nkey a \(key) b\n", 2),
        ("key-ring 1\ncurrent a\nkey a \(key)\n", 1), ("key-ring 1\nkey a \(key)\nidentifier-key \(key)\n", 1),
        ("key-ring 1\ncurrent b\nkey a \(key)\nidentifier-key \(key)\n", 1), ("\u{feff}key-ring 1\n", 1),
    ])
    func `a malformed ring is refused by line, and shows no key`(text: String, line: Int) {
        do throws(KeyRingError) {
            _ = try KeyRing(parsing: Array(text.utf8))
            Issue.record("accepted")
        } catch {
            guard case .malformed(line, _) = error else {
                Issue.record("\(error)")
                return
            }
            #expect(!error.description.contains("AAA"))
        }
    }

    @Test func `bytes that are not UTF-8 are refused`() {
        #expect(throws: KeyRingError.self) { try KeyRing(parsing: [0xff, 0xfe]) }
    }

    @Test func `no key shows in a description or a dump`() {
        let ring = KeyRing.generate()
        var dumped = ""
        dump(ring, to: &dumped)
        let shown = dumped + "\(ring)" + String(reflecting: ring) + "\(ring.identifierKey)"
        let secrets = String(decoding: ring.serialized(), as: UTF8.self).split(whereSeparator: \.isWhitespace).filter {
            $0.utf8.count == 43
        }
        #expect(secrets.count == 2)
        for secret in secrets {
            let bytes = Base64.url.decode(String(secret)) ?? []
            #expect(!shown.contains(secret))
            #expect(!shown.contains("\(bytes[0]), \(bytes[1])"))
            #expect(!shown.contains("- \(bytes[0])\n"))
        }
    }

    @Test func `a saved ring is loaded, can be replaced, and only its owner reads it`() throws {
        try withFolder { folder in
            let file = folder + "/keys"
            var ring = KeyRing.generate()
            try ring.save(file: file)
            #expect(try KeyRing.load(file: file) == ring)
            ring.rotate()
            try ring.save(file: file)
            #expect(try KeyRing.load(file: file) == ring)
            #expect(try FileManager.default.attributesOfItem(atPath: file)[.posixPermissions] as? Int == 0o600)
            #expect(try FileManager.default.contentsOfDirectory(atPath: folder) == ["keys"])
        }
    }

    @Test func `a file that others could read becomes one that only its owner can`() throws {
        try withFolder { folder in
            let file = folder + "/keys"
            #expect(
                FileManager.default.createFile(
                    atPath: file, contents: Data("old".utf8), attributes: [.posixPermissions: 0o644]))
            try KeyRing.generate().save(file: file)
            #expect(try FileManager.default.attributesOfItem(atPath: file)[.posixPermissions] as? Int == 0o600)
        }
    }

    @Test func `a missing file, a folder and a foreign file give different errors`() throws {
        try withFolder { folder in
            #expect(throws: KeyRingError.missing(file: folder + "/none")) { try KeyRing.load(file: folder + "/none") }
            let error = #expect(throws: KeyRingError.self) { try KeyRing.load(file: folder) }
            #expect(error?.description == "cannot read the key file \(folder): Is a directory")
            #expect(throws: KeyRingError.self) { try KeyRing.generate().save(file: folder + "/none/keys") }
            try Data(count: 2 << 20).write(to: URL(fileURLWithPath: folder + "/large"))
            #expect(throws: KeyRingError.self) { try KeyRing.load(file: folder + "/large") }
        }
    }

    /// No file is left behind, and the old one stays, when the new file cannot replace it.
    @Test func `a ring that cannot be saved leaves no file`() throws {
        try withFolder { folder in
            try FileManager.default.createDirectory(atPath: folder + "/keys/inner", withIntermediateDirectories: true)
            #expect(throws: KeyRingError.self) { try KeyRing.generate().save(file: folder + "/keys") }
            #expect(try FileManager.default.contentsOfDirectory(atPath: folder) == ["keys"])
        }
    }

    private func withFolder(_ body: (String) throws -> Void) throws {
        let folder = FileManager.default.temporaryDirectory.appendingPathComponent("keyring-\(UUID().uuidString)").path
        try FileManager.default.createDirectory(atPath: folder, withIntermediateDirectories: true)
        defer { try? FileManager.default.removeItem(atPath: folder) }
        try body(folder)
    }
}
