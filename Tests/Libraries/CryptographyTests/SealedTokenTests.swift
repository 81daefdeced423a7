import Cryptography
import Testing
import TextForms

@Suite struct SealedTokenTests {
    private static let ring = KeyRing.generate()

    @Test(arguments: [0, 1, 2, 3, 100, 5_000])
    func `a token gives its payload for its purpose`(count: Int) throws {
        let payload = SecureRandom.bytes(count: count)
        let token = Self.ring.seal(payload, purpose: "change token")
        #expect(try Self.ring.open(token, purpose: "change token") == payload)
        #expect(token.utf8.allSatisfy { Base64.url.decode("AA\(Character(Unicode.Scalar($0)))A") != nil })
        #expect(Self.ring.seal(payload, purpose: "change token") == token)
    }

    @Test(arguments: [0, 1, 15, 16, 17, 5_000])
    func `a hidden token gives its payload to the ring alone`(count: Int) throws {
        let payload = [UInt8](repeating: 7, count: count)
        let token = Self.ring.sealHidden(payload, purpose: "marker")
        #expect(try Self.ring.openHidden(token, purpose: "marker") == payload)
        #expect(throws: SealedTokenError.forged) { try Self.ring.openHidden(token, purpose: "other") }
        #expect(Self.ring.sealHidden(payload, purpose: "marker") != token)
        let bytes = try #require(Base64.url.decode(token))
        #expect(!bytes.indices.contains { bytes[$0...].starts(with: payload.prefix(8)) && count >= 8 })
    }

    @Test(arguments: ["", "change token ", "Change token", "change toke", "change token\0"])
    func `a token for one purpose is none for another`(purpose: String) {
        let token = Self.ring.seal([1, 2, 3], purpose: "change token")
        #expect(throws: SealedTokenError.forged) { try Self.ring.open(token, purpose: purpose) }
    }

    /// Bytes moved between purpose and payload make another token.
    @Test func `purpose and payload do not run together`() throws {
        let token = Self.ring.seal(Array("bc".utf8), purpose: "a")
        #expect(throws: SealedTokenError.forged) { try Self.ring.open(token, purpose: "ab") }
        #expect(Self.ring.seal(Array("c".utf8), purpose: "ab") != Self.ring.seal(Array("bc".utf8), purpose: "a"))
    }

    @Test func `a token with any bit changed is refused`() throws {
        let bytes = try #require(Base64.url.decode(Self.ring.seal(Array("payload".utf8), purpose: "p")))
        for bit in 0..<bytes.count * 8 {
            var changed = bytes
            changed[bit / 8] ^= 1 << UInt8(bit % 8)
            #expect(throws: SealedTokenError.self, "bit \(bit)") {
                try Self.ring.open(Base64.url.encode(changed), purpose: "p")
            }
        }
    }

    @Test func `a token with any character changed, left out or put in is refused`() {
        let token = Array(Self.ring.seal(Array("payload!".utf8), purpose: "p").utf8)
        for index in token.indices {
            var changed = token
            changed[index] = changed[index] == UInt8(ascii: "A") ? UInt8(ascii: "B") : UInt8(ascii: "A")
            var shorter = token
            shorter.remove(at: index)
            var longer = token
            longer.insert(UInt8(ascii: "A"), at: index)
            for text in [changed, shorter, longer, Array(token[..<index]), token + token[...index]] {
                #expect(throws: SealedTokenError.self) {
                    try Self.ring.open(String(decoding: text, as: UTF8.self), purpose: "p")
                }
            }
        }
    }

    /// Payloads of different lengths end in every way that base64 has.
    @Test(arguments: 0...6)
    func `a token is read in either alphabet, padded or not`(count: Int) throws {
        let payload = [UInt8](repeating: 0xfe, count: count)
        let token = Self.ring.seal(payload, purpose: "p")
        let padded = Self.ring.seal(payload, purpose: "p", as: .standard)
        let padding = String(padded.drop { $0 != "=" })
        for text in [token, token + padding, padded, String(padded.dropLast(padding.utf8.count))] {
            #expect(try Self.ring.open(text, purpose: "p") == payload, "\(text)")
        }
        for text in [token + padding, padded] {
            #expect(throws: SealedTokenError.malformed) { try Self.ring.open(text + "=", purpose: "p") }
        }
    }

    @Test func `each fault has its own error`() throws {
        let token = Self.ring.seal([1], purpose: "p")
        let name = Self.ring.currentName
        var bytes = try #require(Base64.url.decode(token))
        for text in [
            "", "A", "!!!!", token + "===", token + "\n", "AQ", "AQA", "AQEB", Base64.url.encode([1, 255] + bytes),
        ] {
            #expect(throws: SealedTokenError.malformed, "\(text)") { try Self.ring.open(text, purpose: "p") }
        }
        #expect(throws: SealedTokenError.unknownKey(name)) { try KeyRing.generate().open(token, purpose: "p") }
        bytes[bytes.count - 1] ^= 1
        #expect(throws: SealedTokenError.forged) { try Self.ring.open(Base64.url.encode(bytes), purpose: "p") }
        bytes[0] = 2
        #expect(throws: SealedTokenError.unknownVersion(2)) {
            try Self.ring.open(Base64.url.encode(bytes), purpose: "p")
        }
    }

    @Test func `after a rotation old tokens are opened until their key is removed`() throws {
        var ring = KeyRing.generate()
        let first = ring.currentName
        let old = ring.seal([1], purpose: "p")
        ring.rotate()
        let new = ring.seal([1], purpose: "p")
        #expect(new != old)
        #expect(try ring.open(old, purpose: "p") == [1])
        #expect(ring.remove(first) == true)
        #expect(throws: SealedTokenError.unknownKey(first)) { try ring.open(old, purpose: "p") }
        #expect(try ring.open(new, purpose: "p") == [1])
    }

    /// Tokens outlive a release: these were made by the first version and, by itself, by Python's hmac.
    @Test func `tokens and identifiers of the first version stay good`() throws {
        let text = """
            key-ring 1
            current k1
            key k1 AAECAwQFBgcICQoLDA0ODxAREhMUFRYXGBkaGxwdHh8
            identifier-key ICEiIyQlJicoKSorLC0uLzAxMjM0NTY3ODk6Ozw9Pj8
            """
        let ring = try KeyRing(parsing: Array(text.utf8))
        let token = "AQJrMWhlbGxv5S6m92DUkbBWFUfzmdMWYQ"
        #expect(ring.seal(Array("hello".utf8), purpose: "test") == token)
        #expect(try ring.open(token, purpose: "test") == Array("hello".utf8))
        let identifier = OpaqueIdentifier(42, context: Array("alice".utf8), key: ring.identifierKey)
        #expect("\(identifier)" == "5fd560b9-e8a3-c67b-e6a7-943b050edf75")
    }
}
