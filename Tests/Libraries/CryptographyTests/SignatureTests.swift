import Cryptography
import Testing
import TextForms

@Suite struct SignatureTests {
    @Test func onlyTheMatchingPublicKeyVerifies() throws {
        let key = SigningKey.generate()
        let verifying = try VerifyingKey(pem: key.publicKeyPEM)
        for message in [[], Array("x".utf8), [UInt8](repeating: 7, count: 100_000)] {
            let signature = key.signature(of: message)
            #expect(verifying.isValid(signature, for: message))
            #expect(!verifying.isValid(signature, for: message + [0]))
            #expect(try !VerifyingKey(pem: SigningKey.generate().publicKeyPEM).isValid(signature, for: message))
            for index in signature.indices {
                var other = signature
                other[index] ^= 1
                #expect(!verifying.isValid(other, for: message))
            }
            for other in [[], [0], Array(signature.dropLast()), signature + [0]] {
                #expect(!verifying.isValid(other, for: message))
            }
        }
        // What failed before leaves nothing behind.
        #expect(verifying.isValid(key.signature(of: [1]), for: [1]))
    }

    @Test func aKeyComesBackFromItsText() throws {
        let key = SigningKey.generate()
        #expect(key.pem.hasPrefix("-----BEGIN PRIVATE KEY-----\n"))
        #expect(key.publicKeyPEM.hasPrefix("-----BEGIN PUBLIC KEY-----\n"))
        let again = try SigningKey(pem: key.pem)
        #expect(again.publicKeyPEM == key.publicKeyPEM)
        #expect(try VerifyingKey(pem: key.publicKeyPEM).isValid(again.signature(of: [1]), for: [1]))
        #expect("\(key)" == "SigningKey" && String(reflecting: key) == "SigningKey")
    }

    @Test(arguments: [
        "", "x", "-----BEGIN PUBLIC KEY-----\nAAAA\n-----END PUBLIC KEY-----\n", ed25519, p384, rsa,
    ])
    func otherTextsAreNoKeys(pem: String) {
        #expect(throws: P256KeyError.self) { try VerifyingKey(pem: pem) }
        #expect(throws: P256KeyError.self) { try SigningKey(pem: pem) }
        // A private key is no public one, nor the other way round.
        let key = SigningKey.generate()
        #expect(throws: P256KeyError.malformed) { try VerifyingKey(pem: key.pem) }
        #expect(throws: P256KeyError.malformed) { try SigningKey(pem: key.publicKeyPEM) }
    }

    static let ed25519 = """
        -----BEGIN PUBLIC KEY-----
        MCowBQYDK2VwAyEAHGZjiSBAs9fZ2YML+YY3NatitQbx9q0BJJfw8du8tW8=
        -----END PUBLIC KEY-----
        """
    static let p384 = """
        -----BEGIN PUBLIC KEY-----
        MHYwEAYHKoZIzj0CAQYFK4EEACIDYgAEDsVG5VuZN9hB7nsuFwbUpx5mR7b3Jlef
        1dcxnpg3huoKOO07kqnhivKysuk7vV0OMSiJ2kp8wYfJ2N7N1vdvEkQlozHJNRB2
        VSrbfZiOBUo6kvewYCT+93STEojMFTM1
        -----END PUBLIC KEY-----
        """
    static let rsa = """
        -----BEGIN PUBLIC KEY-----
        MIIBIjANBgkqhkiG9w0BAQEFAAOCAQ8AMIIBCgKCAQEAvt2oYKYDrN+aFtN7RxUJ
        pxJKWe5VjWqyqr3qVgdWwQqW9EXxlm2RkXUp9t41GsZhglY1Y38jT44daT9b/eVG
        rCuOjiBgj+uzGyHl1V6mFwR1IbAxO0b9Ovsg6Q/x/3HQHWll2g4DwF7Pmimgz+r4
        DuMaH+zMiwiBDon45EwpRWk7GJI5674bKhA7iFdGaDeklSoLfB3oIZvyu7c30MwA
        j3G4oh7MCEC8O48vunP5MJ2yH/1hr1BL6jqkv0PQ1dtNAKCwMvaIOo5tZ0tQQJ2f
        Za2iwy/3qfuow+BjBfQWl8aHqpdMhlpnOpfPDpG8nxY8Qf6dxMDp6MVpEudX87T3
        /QIDAQAB
        -----END PUBLIC KEY-----
        """

    /// Made by the command-line tool `openssl`.
    @Test func aTokenOfAnotherProgramIsVerified() throws {
        let key = try #require(WebKey(json: Array(Self.rsaKey.utf8), for: .rs256))
        let token = try #require(WebToken(Self.rsaToken))
        #expect(token.header == Array(#"{"alg": "RS256", "kid": "r"}"#.utf8))
        #expect(key.payload(of: token) == Array(#"{"sub": "vector"}"#.utf8))
        var parts = Self.rsaToken.split(separator: ".").map(String.init)
        parts[1] = Base64.url.encode(Array(#"{"sub": "other"}"#.utf8))
        #expect(key.payload(of: try #require(WebToken(parts.joined(separator: ".")))) == nil)
        #expect(WebKey(json: Array(Self.rsaKey.utf8), for: .es256) == nil)
    }

    @Test func keysThatTokensMustNotBeSignedWithAreNotTakenIn() {
        let symmetric = #"{"kty":"oct","kid":"s","k":"\#(Base64.url.encode([UInt8](repeating: 1, count: 32)))"}"#
        for text in [
            "", "{}", "[]", symmetric, #"{"kty":"RSA","n":"AQAB","e":"AQAB"}"#, #"{"kty":"EC","crv":"P-256"}"#,
        ] {
            for algorithm in WebKey.Algorithm.allCases {
                #expect(WebKey(json: Array(text.utf8), for: algorithm) == nil, "\(text)")
            }
        }
    }

    @Test func aTokenHasThreePartsAndIsNoLargerThanAllowed() {
        #expect(WebToken("e30.e30.AAAA") != nil)
        let large = String(repeating: "A", count: WebToken.bytesMax)
        for text in [
            "", ".", "..", "e30.e30", "e30.e30.", "e30..AAAA", "e30.e30.AAAA.AAAA", "e30.e30.AA=A", "e30.e30.\(large)",
        ] {
            #expect(WebToken(text) == nil, "\(text.prefix(40))")
        }
    }

    static let rsaKey =
        "{\"kty\": \"RSA\", \"kid\": \"r\", \"n\": \"vt2oYKYDrN-aFtN7RxUJpxJKWe5VjWqyqr3qVgdWwQqW9EXxlm2RkXUp9t41GsZhglY"
        + "1Y38jT44daT9b_eVGrCuOjiBgj-uzGyHl1V6mFwR1IbAxO0b9Ovsg6Q_x_3HQHWll2g4DwF7Pmimgz-r4DuMaH-zMiwiBDon45Ew"
        + "pRWk7GJI5674bKhA7iFdGaDeklSoLfB3oIZvyu7c30MwAj3G4oh7MCEC8O48vunP5MJ2yH_1hr1BL6jqkv0PQ1dtNAKCwMvaIOo5"
        + "tZ0tQQJ2fZa2iwy_3qfuow-BjBfQWl8aHqpdMhlpnOpfPDpG8nxY8Qf6dxMDp6MVpEudX87T3_Q\", \"e\": \"AQAB\"}"
    static let rsaToken =
        "eyJhbGciOiAiUlMyNTYiLCAia2lkIjogInIifQ.eyJzdWIiOiAidmVjdG9yIn0.Bo3ifTKze0iMdcl8pIiZP1hPSpB8a7pGofkaS"
        + "vZqReG7LxCSqMLzw2661zU8Pw9vdzE5afLEh54-omdtubeNipufrcfaxrVg5lebZTN8ndFJx2z2v-Ef4okpXzdtzDyNb8miV7i_F"
        + "mjk1T7LpbJQAVST11AgaS1DA3TcK3qS1K2zKzFwnxdlHEEx6fHo9vfZhyhNuGrpAqacQ3RsqCpUp9Yil_N87JL7Zzr6T7GPYxEp4"
        + "zeG2KGbQUoDt3tP4CHZspJT7D7k8u2OK_qx5gjuSvjsmQxjeaZJJqd4T3C39MCKP6oWwohtCyAFW3z3w0bx_Nomaji6HSd8wbqXY"
        + "0mF2w"
}
