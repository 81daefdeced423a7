import Cryptography
import Testing

@Suite struct StorageKeyTests {
    private let ring = KeyRing.generate()

    @Test("sealed bytes open for their place alone", arguments: [0, 1, 15, 16, 17, 5_000])
    func places(count: Int) throws {
        let key = StorageKey(ring, purpose: "fields")
        let payload = [UInt8](repeating: 7, count: count)
        let sealed = key.seal(payload, for: "a\u{0}b")
        #expect(try key.open(sealed, for: "a\u{0}b") == payload)
        #expect(key.seal(payload, for: "a\u{0}b") != sealed)
        #expect(throws: SealedTokenError.forged) { try key.open(sealed, for: "a\u{0}c") }
        #expect(throws: SealedTokenError.forged) {
            try StorageKey(ring, purpose: "other").open(sealed, for: "a\u{0}b")
        }
        #expect(throws: SealedTokenError.forged) {
            try StorageKey(.generate(), purpose: "fields").open(sealed, for: "a\u{0}b")
        }
        #expect(!sealed.indices.contains { sealed[$0...].starts(with: payload.prefix(8)) && count >= 8 })
    }

    @Test("a byte that changed is noticed, and so is one that is missing")
    func changes() throws {
        let key = StorageKey(ring, purpose: "fields")
        let sealed = key.seal([1, 2, 3], for: "p")
        for index in sealed.indices.dropFirst() {
            var changed = sealed
            changed[index] ^= 1
            #expect(throws: SealedTokenError.forged) { try key.open(changed, for: "p") }
        }
        #expect(throws: SealedTokenError.unknownVersion(2)) { try key.open([2] + sealed.dropFirst(), for: "p") }
        #expect(throws: SealedTokenError.self) { try key.open(Array(sealed.dropLast()), for: "p") }
        #expect(throws: SealedTokenError.malformed) { try key.open([], for: "p") }
    }

    @Test("sealed bytes open after the keys of tokens were rotated and removed")
    func rotation() throws {
        var ring = ring
        let sealed = StorageKey(ring, purpose: "fields").seal([1], for: "p")
        let old = ring.currentName
        ring.rotate()
        let isRemoved = ring.remove(old)
        #expect(isRemoved)
        #expect(try StorageKey(ring, purpose: "fields").open(sealed, for: "p") == [1])
    }
}
