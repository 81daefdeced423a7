import Cryptography
import Testing
import TextForms

@Suite struct HashTests {
    /// FIPS 180-4's examples, and the empty message.
    @Test(arguments: [
        ("", "e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855"),
        ("abc", "ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad"),
        (
            "abcdbcdecdefdefgefghfghighijhijkijkljklmklmnlmnomnopnopq",
            "248d6a61d20638b8e5c026930c3e6039a33ce45964ff2167f6ecedd419db06c1"
        ),
        (String(repeating: "a", count: 1_000_000), "cdc76e5c9914fb9281a1c7e284d73e67f1809a48a497200e046d39ccc7112cd0"),
    ])
    func `SHA-256 of known messages`(message: String, hash: String) {
        #expect(Hexadecimal.encode(SHA256.hash(Array(message.utf8))) == hash)
        #expect(Array(message.utf8).withUnsafeBytes { SHA256.hash($0) } == SHA256.hash(Array(message.utf8)))
        var running = SHA256.Running()
        var rest = Array(message.utf8)[...]
        while !rest.isEmpty {
            let part = Array(rest.prefix(rest.count / 3 + 1))
            running.update(part)
            rest = rest.dropFirst(part.count)
        }
        #expect(Hexadecimal.encode(running.finish()) == hash)
    }

    /// RFC 4231, test cases 1 to 4, 6 and 7, and the empty key.
    @Test(arguments: [
        (
            [UInt8](repeating: 0x0b, count: 20), "Hi There",
            "b0344c61d8db38535ca8afceaf0bf12b881dc200c9833da726e9376c2e32cff7"
        ),
        (
            Array("Jefe".utf8), "what do ya want for nothing?",
            "5bdcc146bf60754e6a042426089575c75a003f089d2739839dec58b964ec3843"
        ),
        (
            [UInt8](repeating: 0xaa, count: 131), "Test Using Larger Than Block-Size Key - Hash Key First",
            "60e431591ee0b67f0d8a26aacbf5b77f8e0bc6213728c5140546040f0ee37f54"
        ),
        (
            [UInt8](repeating: 0xaa, count: 131),
            "This is a test using a larger than block-size key and a larger than block-size data. "
                + "The key needs to be hashed before being used by the HMAC algorithm.",
            "9b09ffa71b942fcb27635fbcd5b0e944bfdc63644f0713938a7f51535c3a35e2"
        ),
        ([], "", "b613679a0814d9ec772f95d778c35fc5ff1697c493715653c6c712144292c5ad"),
    ])
    func `HMAC of known messages`(key: [UInt8], message: String, code: String) {
        #expect(Hexadecimal.encode(HMACSHA256(key: key).code(for: Array(message.utf8))) == code)
    }

    @Test func `one key makes the same codes again, on many threads at once`() async {
        let mac = HMACSHA256(key: [UInt8](repeating: 0xaa, count: 20))
        let message = [UInt8](repeating: 0xdd, count: 50)
        let codes = await withTaskGroup(of: [[UInt8]].self) { group in
            for _ in 0..<8 { group.addTask { (0..<200).map { _ in mac.code(for: message) } } }
            return await group.reduce(into: []) { $0 += $1 }
        }
        #expect(codes.count == 1_600)
        #expect(
            Set(codes.map(Hexadecimal.encode)) == ["773ea91e36800e46854db8ebd09181a72959098b3ef8c122d9635514ced565fe"])
    }

    @Test func `a code is valid whole or cut short, and not when a bit differs`() {
        let mac = HMACSHA256(key: [1, 2, 3])
        let code = mac.code(for: [4, 5])
        for count in 8...32 { #expect(mac.isValid(Array(code.prefix(count)), for: [4, 5])) }
        for count in 0..<8 { #expect(!mac.isValid(Array(code.prefix(count)), for: [4, 5])) }
        #expect(!mac.isValid(code + [0], for: [4, 5]))
        #expect(!mac.isValid(code, for: [4]))
        for bit in 0..<256 {
            var changed = code
            changed[bit / 8] ^= 1 << UInt8(bit % 8)
            #expect(!mac.isValid(changed, for: [4, 5]))
        }
    }

    @Test func `bytes are compared whole`() {
        #expect(ConstantTime.areEqual([], []))
        #expect(ConstantTime.areEqual([1, 2, 3], [1, 2, 3]))
        #expect(!ConstantTime.areEqual([1, 2, 3], [1, 2, 4]))
        #expect(!ConstantTime.areEqual([0, 2, 3], [1, 2, 3]))
        #expect(!ConstantTime.areEqual([1, 2], [1, 2, 3]))
    }

    @Test func `random bytes have the length asked for and do not repeat`() {
        #expect(SecureRandom.bytes(count: 0) == [])
        let drawn = (0..<200).map { _ in SecureRandom.bytes(count: 16) }
        #expect(drawn.allSatisfy { $0.count == 16 })
        #expect(Set(drawn).count == 200)
        #expect(Set(SecureRandom.bytes(count: 100_000)).count == 256)
    }
}
