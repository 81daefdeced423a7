import CloudModel
import TestSupport
import Testing

@Suite struct StableHashTests {
    // From the reference of FNV-1a (http://www.isthe.com/chongo/tech/comp/fnv).
    @Test(
        "the hash is FNV-1a, which is stored",
        arguments: [("", 0xcbf2_9ce4_8422_2325), ("a", 0xaf63_dc4c_8601_ec8c), ("foobar", 0x8594_4171_f739_67e8)]
            as [(
                String, UInt64
            )])
    func reference(_ text: String, _ hash: UInt64) {
        #expect(Array(text.utf8).stableHash() == hash)
        #expect(text.utf8.stableHash() == hash)
    }

    @Test("bytes that are not in one piece have the same hash", arguments: TestSeeds.several(20))
    func pieces(_ seed: UInt64) {
        var random = SeededGenerator(seed: seed)
        let bytes = (0..<Int.random(in: 0...300, using: &random)).map { _ in UInt8.random(in: 0...255, using: &random) }
        let salt = random.next()
        #expect(bytes.reversed().reversed().stableHash(salt: salt) == bytes.stableHash(salt: salt))
        #expect(bytes.lazy.map { $0 }.stableHash(salt: salt) == bytes.stableHash(salt: salt))
        #expect(bytes.stableHash(salt: salt) != bytes.stableHash(salt: salt ^ 1))
    }
}
