import Testing
import TextForms

@testable import Cryptography

/// Web tokens that keys sign, as VAPID (RFC 8292) and APNs take them. `WebKey` verifies them by cjose.
@Suite struct WebTokenSigningTests {
    private static let header = Array(#"{"typ":"JWT","alg":"ES256"}"#.utf8)
    private static let payload = Array(
        #"{"aud":"https://push.example.net","exp":1453523768,"sub":"mailto:push@example.com"}"#.utf8)

    private static func webKey(_ point: [UInt8]) throws -> WebKey {
        let (x, y) = (Base64.url.encode(Array(point[1..<33])), Base64.url.encode(Array(point[33...])))
        return try #require(
            WebKey(json: Array(#"{"kty":"EC","crv":"P-256","x":"\#(x)","y":"\#(y)"}"#.utf8), for: .es256))
    }

    @Test("the example of RFC 8292 has the written form and a right signature")
    func example() throws {
        let example =
            "eyJ0eXAiOiJKV1QiLCJhbGciOiJFUzI1NiJ9.eyJhdWQiOiJodHRwczovL3B1c2guZXhhbXBsZS5uZXQiLCJleHAiOjE0NTM1MjM3Njgs"
            + "InN1YiI6Im1haWx0bzpwdXNoQGV4YW1wbGUuY29tIn0.i3CYb7t4xfxCDquptFOepC9GAu_HLGkMlMuCGSK2rpiUfnK9ojFwDXb1JrE"
            + "rtmysazNjjvW2L9OkSSHzvoD1oA"
        let point = try #require(
            Base64.url.decode("BA1Hxzyi1RUM1b5wjxsn7nGxAszw2u61m164i3MrAIxHF6YK5h4SDYic-dRuU_RCPCfA5aq9ojSwk5Y2EmClBPs")
        )
        #expect(try Self.webKey(point).payload(of: #require(WebToken(example))) == Self.payload)
        let key = SigningKey.generate()
        let token = key.webToken(header: Self.header, payload: Self.payload)
        #expect(token.split(separator: ".").dropLast() == example.split(separator: ".").dropLast())
        #expect(try Self.webKey(key.publicPoint).payload(of: #require(WebToken(token))) == Self.payload)
        #expect(try Self.webKey(point).payload(of: #require(WebToken(token))) == nil)
    }

    /// One signature in 128 has a number with a leading zero, one in 32,768 both.
    @Test("raw signatures have 64 bytes, also those with small numbers")
    func raw() throws {
        let key = SigningKey.generate()
        let web = try Self.webKey(key.publicPoint)
        var zeros = 0
        for number in 0..<2000 {
            let token = key.webToken(header: Self.header, payload: Array("\(number)".utf8))
            let signature = try #require(Base64.url.decode(String(token.split(separator: ".")[2])))
            #expect(signature.count == 64)
            guard signature[0] == 0 || signature[32] == 0 else { continue }
            zeros += 1
            #expect(try web.payload(of: #require(WebToken(token))) == Array("\(number)".utf8))
        }
        #expect(zeros > 0)
    }

    @Test("the point is that of the public key's text, in whatever form the key was read")
    func points() throws {
        let key = SigningKey.generate()
        let lines = key.publicKeyPEM.split(separator: "\n").dropFirst().dropLast().joined()
        #expect(Array((Base64.standard.decode(lines) ?? []).suffix(64)) == Array(key.publicPoint.dropFirst()))
        #expect(try SigningKey(pem: key.pem).publicPoint == key.publicPoint)
        // The point of the scalar 1 is the curve's generator; the second file has it compressed.
        let one = [UInt8](repeating: 0, count: 31) + [1]
        let x = try #require(
            Hexadecimal.decode("6b17d1f2e12c4247f8bce6e563a440f277037d812deb33a0f4a13945d898c296"))
        let y = try #require(
            Hexadecimal.decode("4fe342e2fe1a7f9b8ee7eb4a7c0f9e162bce33576b315ececbb6406837bf51f5"))
        #expect(try SigningKey(pem: WebPushReader.pem(scalar: one)).publicPoint == [4] + x + y)
        let compressed = WebPushReader.pem(scalar: one, compressed: [3] + x)
        #expect(try SigningKey(pem: compressed).publicPoint == [4] + x + y)
    }
}
