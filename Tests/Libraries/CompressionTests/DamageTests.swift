import Compression
import TestSupport
import Testing

@Suite struct DamageTests {
    private static let content = Content.make(bytes: 3_000, seed: 2)
    private static let member = Gzip.compress(content)

    @Test func `a content cut anywhere is truncated`() {
        for count in 0..<Self.member.count {
            #expect(throws: CompressionError.truncated(byteOffset: count)) {
                try Gzip.decompress(Array(Self.member[..<count]), maximumBytes: 10_000)
            }
        }
    }

    @Test func `a second member cut anywhere is truncated`() {
        let two = Self.member + Self.member
        for count in Self.member.count + 1..<two.count {
            #expect(throws: CompressionError.truncated(byteOffset: count)) {
                try Gzip.decompress(Array(two[..<count]), maximumBytes: 10_000)
            }
        }
    }

    /// Bytes 3 to 9 hold flags of which one is a mere hint, a time, the level and a system; all others count, but for
    /// the bits that fill up the last byte before the checksum.
    @Test func `a content with any byte changed is refused or the same`() {
        for index in Self.member.indices where !(3..<10).contains(index) {
            for change: UInt8 in [1, 0x80, 0xff] {
                var damaged = Self.member
                damaged[index] ^= change
                let content = try? Gzip.decompress(damaged, maximumBytes: 1 << 20)
                let isHarmless = content == nil || content == Self.content && index == Self.member.count - 9
                #expect(isHarmless, "byte \(index)")
            }
        }
    }

    @Test(
        arguments: [
            ([0], "incorrect header check"), (Array("plain text".utf8), "incorrect header check"),
            ([31, 139, 7, 0], "unknown compression method"),
            ([31, 139, 8, 0xe0], "unknown header flags set"),
            ([31, 139, 8, 0, 0, 0, 0, 0, 0, 3, 7], "invalid block type"),
        ] as [([UInt8], String)])
    func `other bytes than gzip fail with the reason`(bytes: [UInt8], reason: String) {
        do throws(CompressionError) {
            _ = try Gzip.decompress(bytes, maximumBytes: 100)
            Issue.record("accepted")
        } catch {
            guard case .corrupt(let found, let byteOffset) = error else {
                // A single byte may still be the first of two.
                #expect(bytes.count < 2)
                return
            }
            #expect(found == reason)
            #expect(byteOffset <= bytes.count)
        }
    }

    @Test func `a checksum and a length that do not fit say so`() {
        for (place, reason) in [(8, "incorrect data check"), (4, "incorrect length check")] {
            var damaged = Self.member
            damaged[damaged.count - place] ^= 1
            let error = #expect(throws: CompressionError.self) { try Gzip.decompress(damaged, maximumBytes: 10_000) }
            guard case .corrupt(reason, _) = error else {
                Issue.record("\(String(describing: error))")
                continue
            }
        }
    }

    @Test(arguments: UInt64(1)...10)
    func `garbage never traps`(seed: UInt64) {
        var random = SeededGenerator(seed: seed)
        for _ in 0..<300 {
            var bytes = Self.member
            for _ in 0..<Int.random(in: 1...8, using: &random) {
                bytes[Int.random(in: 10..<bytes.count, using: &random)] = UInt8.random(
                    in: .min ... .max, using: &random)
            }
            _ = try? Gzip.decompress(bytes, maximumBytes: 1 << 20)
        }
    }

    @Test(arguments: [[0], Array("garbage".utf8), [31]] as [[UInt8]])
    func `what follows a member must be a member`(tail: [UInt8]) {
        #expect(throws: CompressionError.self) { try Gzip.decompress(Self.member + tail, maximumBytes: 10_000) }
    }
}
