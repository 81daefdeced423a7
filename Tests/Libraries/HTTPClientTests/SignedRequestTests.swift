import Foundation
import HTTPClient
import HTTPServer
import TestSupport
import Testing

/// Requests that libcurl signs. Signatures themselves are computed by the store of `S3AssetsTests`.
@Suite(.hangGuard) struct SignedRequestTests {
    private static let hash = String(repeating: "ab", count: 32)

    private func signature(token: String? = nil) -> HTTPClientSignature {
        HTTPClientSignature(
            scope: "aws:amz:eu-1:s3", accessKey: "AKID", secretKey: "se/cr+et", sessionToken: token,
            payloadHash: Self.hash)
    }

    @Test("a signed request has its signature, the hash and the token, and names no header that is not sent")
    func headers() async throws {
        try await withServer(answering: { request in
            let lines = request.headers.all.map { "\($0.name.lowercased()): \($0.value)" }
            return .now(.text(lines.joined(separator: "\n")))
        }) { client, url, _ in
            for (method, body) in [
                ("GET", nil), ("HEAD", nil), ("PUT", 3), ("PUT", 0), ("DELETE", nil), ("PUT", 3_000_000),
            ]
                as [(String, Int?)]
            {
                var request = HTTPClientRequest(
                    method, "\(url)/bucket/a-b_c.d~e", headers: [("Range", "bytes=0-1"), ("x-amz-meta-a", "1")],
                    body: body.map { .bytes([UInt8](repeating: 7, count: $0)) } ?? .empty)
                request.signature = signature(token: "to/ken==")
                let response = try await client.send(request)
                #expect(response.status == 200)
                if method == "HEAD" { continue }
                let lines = response.text.split(separator: "\n").map(String.init)
                #expect(lines.contains("x-amz-content-sha256: \(Self.hash)"))
                #expect(lines.contains("x-amz-security-token: to/ken=="))
                #expect(lines.contains("content-type: application/octet-stream") == (method == "PUT"))
                let line = try #require(lines.first { $0.hasPrefix("authorization: AWS4-HMAC-SHA256 ") })
                #expect(line.contains("Credential=AKID/") && line.contains("/eu-1/s3/aws4_request"))
                let signed = try #require(line.split(separator: "SignedHeaders=").last?.prefix { $0 != "," })
                for name in signed.split(separator: ";") {
                    #expect(lines.contains { $0.hasPrefix("\(name): ") }, "\(name) is signed and was not sent")
                }
                #expect(!response.text.contains("se/cr+et"))
            }
        }
    }

    @Test("a signature does not stay for the next request of a handle")
    func next() async throws {
        try await withServer(answering: { .now(.text($0.headers["Authorization"] ?? "none")) }) { client, url, _ in
            var request = HTTPClientRequest("GET", "\(url)/a")
            for isSigned in [true, false, true] {
                request.signature = isSigned ? signature() : nil
                let response = try await client.send(request)
                #expect(response.text.hasPrefix("AWS4") == isSigned)
            }
        }
    }

    @Test(
        "a request that libcurl would sign wrong is not sent",
        arguments: [
            ("http://h/a?list-type=2", [], "x"), ("http://h/a%20b", [], "x"), ("http://h/a=b", [], "x"),
            ("http://h/a", [("x-amz-meta-a", "1"), ("x-amz-meta-a-b", "1")], "x"), ("http://h/a", [("X-One", "")], "x"),
            ("http://h/a", [], ""), ("http://h/a", [], "a\nb"), ("http://h/a", [], "a b"),
        ] as [(String, [(String, String)], String)])
    func defects(url: String, headers: [(String, String)], secret: String) async throws {
        let client = HTTPClient()
        var request = HTTPClientRequest("GET", url, headers: headers)
        request.signature = HTTPClientSignature(
            scope: "aws:amz:eu-1:s3", accessKey: "AKID", secretKey: secret, payloadHash: Self.hash)
        await #expect {
            try await client.send(request)
        } throws: { error in
            (error as? HTTPClientError)?.kind == .invalidRequest
        }
        await client.close()
    }
}
