import HTTPClient
import TestSupport
import Testing

/// Certificates of both sides.
@Suite(.hangGuard)
struct MultiplexingTLSTests {
    static func send(
        to server: FrameServer, _ configure: (inout MultiplexingConfiguration) -> Void
    ) async throws -> HTTPClientResponse {
        var configuration = MultiplexingConfiguration()
        configure(&configuration)
        let connection = MultiplexedConnection(to: server.url, configuration)
        let result: Result<HTTPClientResponse, any Error>
        do {
            result = .success(try await connection.send(MultiplexingTests.request(1, to: server)))
        } catch {
            result = .failure(error)
        }
        await connection.close()
        return try result.get()
    }

    @Test("a server that demands a certificate gets the client's")
    func clientCertificate() async throws {
        let certificate = TestCertificate.shared
        let server = FrameServer(demandsCertificate: true) { $0.answer($1, "ok") }
        defer { server.stop() }
        let answer = try await Self.send(to: server) { configuration in
            configuration.caFile = certificate.file
            configuration.clientCertificate = .init(certificateFile: certificate.file, keyFile: certificate.key)
        }
        #expect(answer.text == "ok")
        await #expect(throws: HTTPClientError.self) {
            try await Self.send(to: server) { $0.caFile = certificate.file }
        }
        #expect(server.requests == ["1"])
    }

    @Test("a server whose certificate nobody vouches for gets no request")
    func unknownIssuer() async throws {
        let server = FrameServer { $0.answer($1, "ok") }
        defer { server.stop() }
        await #expect { try await Self.send(to: server) { _ in } } throws: {
            ($0 as? HTTPClientError)?.kind == .tls
        }
        #expect(server.requests == [])
    }

    @Test("a certificate that cannot be read is an error before anything is sent")
    func missingFile() async throws {
        let certificate = TestCertificate.shared
        let server = FrameServer { $0.answer($1, "ok") }
        defer { server.stop() }
        await #expect {
            try await Self.send(to: server) { configuration in
                configuration.caFile = certificate.file
                configuration.clientCertificate = .init(certificateFile: "/nowhere/certificate.pem")
            }
        } throws: {
            ($0 as? HTTPClientError)?.kind == .tls
        }
        #expect(server.requests == [])
    }
}
