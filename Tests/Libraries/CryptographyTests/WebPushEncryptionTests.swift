import TestSupport
import Testing
import TextForms

@testable import Cryptography

/// Encryption of Web Push messages. `WebPushReader` reads them.
@Suite struct WebPushEncryptionTests {
    private static func decode(_ text: String) -> [UInt8] { Base64.url.decode(text) ?? [] }

    /// The example of RFC 8291, 5, with the values of its appendix A.
    private enum Example {
        static let content = Array("When I grow up, I want to be a watermelon".utf8)
        static let sender = decode("yfWPiYE-n46HLnH0KqZOF1fJJU3MYrct3AELtAQ-oRw")
        static let receiver = decode("q1dXpw3UpT5VOmu_cf_v6ih07Aems3njxI-JWgLcM94")
        static let point = decode(
            "BCVxsr7N_eNgVRqvHtD0zTZsEc6-VV-JvLexhqUzORcxaOzi6-AYWXvTBHm4bjyPjs7Vd8pZGH6SRpkNtoIAiw4")
        static let secret = decode("BTBZMqHH6r4Tts7J_aSIgg")
        static let salt = decode("DGv6ra1nlYgDCS1FRnbzlw")
        static let message = decode(
            "DGv6ra1nlYgDCS1FRnbzlwAAEABBBP4z9KsN6nGRTbVYI_c7VJSPQTBtkgcy27mlmlMoZIIgDll6e3vCYLocInmYWAmS6TlzAC8wEqKK"
                + "6PBru3jl7A_yl95bQpu6cVPTpK4Mqgkf1CXztLVBSt2Ks3oZwbuwXPXLWyouBWLVWGNWQexSgSxsj_Qulcy4a-fN")
    }

    @Test("the example of RFC 8291 is encrypted to its message")
    func exampleWritten() throws {
        let encryption = try WebPushEncryption(receiver: Example.point, secret: Example.secret)
        let sender = try SigningKey(pem: WebPushReader.pem(scalar: Example.sender))
        #expect(try encryption.encrypt(Example.content, sender: sender, salt: Example.salt) == Example.message)
    }

    @Test("the tests' reader reads the example of RFC 8291")
    func exampleRead() {
        let reader = WebPushReader(scalar: Example.receiver, point: Example.point, secret: Example.secret)
        #expect(reader.content(of: Example.message) == Example.content)
    }

    @Test("a reader of other code reads each of 1,000 random contents, in at most 4,096 bytes")
    func anyContent() throws {
        let seed = TestSeeds.first
        var random = SeededGenerator(seed: seed)
        for number in 0..<1000 {
            let count =
                number < 3
                ? [0, 1, WebPushEncryption.contentBytesMax][number] : Int.random(in: 0...3993, using: &random)
            // Ends of zeros and of twos look like padding.
            let content = (0..<count).map { _ in
                Bool.random(using: &random)
                    ? UInt8.random(in: 0...2, using: &random) : .random(in: 0...255, using: &random)
            }
            let reader = WebPushReader(secret: (0..<16).map { _ in .random(in: 0...255, using: &random) })
            let message = try WebPushEncryption(receiver: reader.point, secret: reader.secret).encrypt(content)
            #expect(message.count == content.count + 103 && message.count <= 4096, "seed \(seed), \(number)")
            #expect(reader.content(of: message) == content, "seed \(seed), \(number)")
        }
    }

    @Test("two messages of one content differ in salt, key and record")
    func fresh() throws {
        let reader = WebPushReader(secret: [UInt8](repeating: 1, count: 16))
        let encryption = try WebPushEncryption(receiver: reader.point, secret: reader.secret)
        let (one, two) = (try encryption.encrypt([7]), try encryption.encrypt([7]))
        #expect(one[..<16] != two[..<16] && one[21..<86] != two[21..<86] && one[86...] != two[86...])
        #expect(one[16..<21] == [0, 0, 16, 0, 65])
    }

    @Test("only the subscription's key and secret open a message, and only as it was sent")
    func others() throws {
        let reader = WebPushReader(secret: [UInt8](repeating: 1, count: 16))
        let message = try WebPushEncryption(receiver: reader.point, secret: reader.secret).encrypt([1, 2, 3])
        #expect(reader.content(of: message) == [1, 2, 3])
        #expect(WebPushReader(secret: reader.secret).content(of: message) == nil)
        let sameKey = try WebPushEncryption(receiver: reader.point, secret: [UInt8](repeating: 2, count: 16))
        #expect(reader.content(of: try sameKey.encrypt([1])) == nil)
        // The size of records alone, bytes 16 to 19, is not authenticated.
        for index in message.indices where !(16..<20).contains(index) {
            var changed = message
            changed[index] ^= 1
            #expect(reader.content(of: changed) == nil, "byte \(index)")
        }
    }

    @Test("a content that does not fit is refused")
    func tooLarge() throws {
        let reader = WebPushReader(secret: [UInt8](repeating: 1, count: 16))
        let encryption = try WebPushEncryption(receiver: reader.point, secret: reader.secret)
        #expect(WebPushEncryption.contentBytesMax == 3993)
        #expect(try encryption.encrypt([UInt8](repeating: 0, count: 3993)).count == 4096)
        #expect(throws: WebPushEncryptionError.tooLarge(bytes: 3994)) {
            try encryption.encrypt([UInt8](repeating: 0, count: 3994))
        }
    }

    @Test("bytes that are no point on P-256 are no key")
    func wrongKeys() throws {
        let secret = [UInt8](repeating: 1, count: 16)
        let point = SigningKey.generate().publicPoint
        #expect(point.count == 65 && point[0] == 4)
        #expect(throws: Never.self) { try WebPushEncryption(receiver: point, secret: secret) }
        var besideCurve = point
        besideCurve[64] ^= 1
        let parity = point[64] & 1
        let others: [[UInt8]] = [
            [], [0], [4], Array(point.dropLast()), point + [0], besideCurve,
            // Infinity, other forms of the same point, coordinates that are no numbers of the field.
            [UInt8](repeating: 0, count: 65), [2 + parity] + point[1..<33], [6 + parity] + point[1...],
            [4] + [UInt8](repeating: 0, count: 64), [4] + [UInt8](repeating: 255, count: 64),
        ]
        for other in others {
            #expect(throws: WebPushEncryptionError.malformedKey) {
                try WebPushEncryption(receiver: other, secret: secret)
            }
        }
        for count in [0, 15, 17, 32] {
            #expect(throws: WebPushEncryptionError.malformedSecret) {
                try WebPushEncryption(receiver: point, secret: [UInt8](repeating: 1, count: count))
            }
        }
        // What failed before leaves nothing behind.
        #expect(throws: Never.self) { try WebPushEncryption(receiver: point, secret: secret).encrypt([1]) }
    }
}
