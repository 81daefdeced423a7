import Foundation
import HTTPClient
import Testing

@testable import HTTPServer

/// A certificate that is replaced while the server runs.
@Suite struct CertificateTests {
    private static let handler = TestHandler(answering: { _ in .now(.text("now")) })

    private static func client(trusting certificate: Certificate) -> HTTPClient {
        var configuration = HTTPClientConfiguration()
        configuration.caFile = certificate.file
        return HTTPClient(configuration)
    }

    /// Puts a certificate in the place of another, as tools do: a new file under the old name.
    private static func replace(_ path: String, by other: String) throws {
        try FileManager.default.copyItem(atPath: other, toPath: "\(path).new")
        try #require(rename("\(path).new", path) == 0)
    }

    @Test("new connections get the new certificate, and open ones go on")
    func renewed() async throws {
        try await BodyFileTests.withDirectory { directory in
            let (first, second) = (
                try Certificate(in: directory, name: "first"), try Certificate(in: directory, name: "second")
            )
            let served = try Certificate(in: directory, name: "served")
            try Self.replace(served.file, by: first.file)
            try Self.replace(served.key, by: first.key)
            let stream = HTTPResponseStream()
            let handler = TestHandler(answering: { request in
                .now(request.path == "/stream" ? HTTPResponse(status: 200, body: .stream(stream)) : .text("now"))
            })
            try await withServer(handler, { $0.tls = .init(certificateFile: served.file, keyFile: served.key) }) {
                server in
                let url = "https://localhost:\(server.port)"
                let old = Self.client(trusting: first)
                stream.write(Array("before".utf8))
                var open = try await old.stream(HTTPClientRequest("GET", "\(url)/stream")).makeAsyncIterator()
                #expect(try await open.next() == Array("before".utf8))
                #expect(try await !server.renewCertificate())
                try Self.replace(served.file, by: second.file)
                try Self.replace(served.key, by: second.key)
                #expect(try await server.renewCertificate())
                #expect(try await !server.renewCertificate())
                let new = Self.client(trusting: second)
                #expect(try await new.send(HTTPClientRequest("GET", url)).body == Array("now".utf8))
                let stranger = Self.client(trusting: first)
                await #expect {
                    try await stranger.send(HTTPClientRequest("GET", url))
                } throws: {
                    ($0 as? HTTPClientError)?.kind == .tls
                }
                stream.write(Array("after".utf8))
                #expect(try await open.next() == Array("after".utf8))
                #expect(server.generationsEnding == 1)
                stream.finish()
                while try await open.next() != nil {}
                await old.close()
                // The server learns of the end by itself.
                while server.generationsEnding > 0 { _ = try await server.renewCertificate() }
                #expect(try await new.send(HTTPClientRequest("GET", url)).body == Array("now".utf8))
                await new.close()
                await stranger.close()
            }
        }
    }

    @Test("files that are no good are refused once, and the old ones stay")
    func refused() async throws {
        try await BodyFileTests.withDirectory { directory in
            let served = try Certificate(in: directory, name: "served")
            let other = try Certificate(in: directory, name: "other")
            let trusted = try Certificate(in: directory, name: "trusted")
            try Self.replace(trusted.file, by: served.file)
            try await withServer(
                Self.handler, { $0.tls = .init(certificateFile: served.file, keyFile: served.key) }
            ) { server in
                try Self.replace(served.key, by: other.key)
                await #expect(throws: HTTPServerError.self) { try await server.renewCertificate() }
                #expect(try await !server.renewCertificate())
                let client = Self.client(trusting: trusted)
                let answer = try await client.send(HTTPClientRequest("GET", "https://localhost:\(server.port)"))
                #expect(answer.status == 200)
                // The certificate of the key comes a moment later.
                try Self.replace(served.file, by: other.file)
                #expect(try await server.renewCertificate())
                await client.close()
            }
        }
    }
}
