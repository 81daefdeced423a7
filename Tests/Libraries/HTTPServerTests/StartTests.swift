import Foundation
import HTTPClient
import HTTPServer
import TestSupport
import Testing

/// What a server needs to start, and what it says when it lacks it.
struct StartTests {
    static func error(_ configure: (inout HTTPServerConfiguration) -> Void) async -> HTTPServerError? {
        var configuration = HTTPServerConfiguration()
        configure(&configuration)
        do {
            let server = try await HTTPServer.start(configuration, handler: TestHandler())
            await server.stop()
            return nil
        } catch {
            return error as? HTTPServerError
        }
    }

    @Test func portInUseIsNamed() async throws {
        try await withServer { server in
            let error = await Self.error { $0.port = server.port }
            #expect(error?.kind == .portInUse)
            #expect(error?.description.contains("port \(server.port)") == true)
        }
    }

    @Test func portIsFreeAgainAfterTheEnd() async throws {
        var port = 0
        try await withServer { server in
            let connection = try RawConnection(port: server.port)
            try connection.send("GET / HTTP/1.1\r\nHost: h\r\n\r\n")
            _ = try await connection.response()
            port = server.port
        }
        try await withServer(TestHandler(), { $0.port = port }) { #expect($0.port == port) }
    }

    @Test func addressOfAnotherMachineIsRefused() async {
        #expect(await Self.error { $0.host = "192.0.2.1" }?.kind == .address)
        #expect(await Self.error { $0.host = "no such host.invalid" }?.kind == .address)
    }

    @Test(
        arguments: [
            { $0.workers = 1 }, { $0.port = 70_000 }, { $0.connectionsMaximum = 0 }, { $0.memoryPerConnection = 4096 },
            { $0.timeouts.headers = .zero }, { $0.timeouts.idle = .milliseconds(10) },
        ] as [@Sendable (inout HTTPServerConfiguration) -> Void])
    func valueThatCannotBeIsRefused(configure: @Sendable (inout HTTPServerConfiguration) -> Void) async {
        #expect(await Self.error(configure)?.kind == .configuration)
    }

    @Test func unreadableCertificateIsNamed() async throws {
        try await BodyFileTests.withDirectory { directory in
            let missing = await Self.error {
                $0.tls = .init(certificateFile: "\(directory)/none.pem", keyFile: "\(directory)/none.key")
            }
            #expect(missing?.kind == .certificate)
            #expect(missing?.description.contains("none.pem") == true)
            try Data("nonsense".utf8).write(to: URL(fileURLWithPath: "\(directory)/bad.pem"))
            let bad = await Self.error {
                $0.tls = .init(certificateFile: "\(directory)/bad.pem", keyFile: "\(directory)/bad.pem")
            }
            #expect(bad?.kind == .certificate)
            let first = try Certificate(in: directory, name: "first")
            let second = try Certificate(in: directory, name: "second")
            let mixed = await Self.error { $0.tls = .init(certificateFile: first.file, keyFile: second.key) }
            #expect(mixed?.kind == .certificate)
        }
    }

    @Test func encryptedConnectionsAreServedHeldAndStreamed() async throws {
        try await BodyFileTests.withDirectory { directory in
            let certificate = try Certificate(in: directory, name: "server")
            let ends = Signal<HTTPStreamEnd>()
            let handler = TestHandler(answering: { request in
                switch request.path {
                case "/later": return .later { .text("later \(request.body.count)") }
                case "/file": return .now(HTTPResponse(status: 200, body: .file(path: certificate.file)))
                case "/stream":
                    let stream = HTTPResponseStream()
                    stream.onClose { ends.send($0) }
                    stream.write(Array("streamed".utf8))
                    return .now(HTTPResponse(status: 200, body: .stream(stream)))
                default: return .now(.text("now"))
                }
            })
            try await withServer(
                handler, { $0.tls = .init(certificateFile: certificate.file, keyFile: certificate.key) }
            ) { server in
                var configuration = HTTPClientConfiguration()
                configuration.caFile = certificate.file
                let client = HTTPClient(configuration)
                let url = "https://localhost:\(server.port)"
                for _ in 0..<3 {
                    let body = [UInt8](repeating: 1, count: 100_000)
                    let later = try await client.send(HTTPClientRequest("POST", "\(url)/later", body: .bytes(body)))
                    #expect(later.body == Array("later 100000".utf8))
                    #expect(try await client.send(HTTPClientRequest("GET", "\(url)/now")).body == Array("now".utf8))
                    let file = try await client.send(HTTPClientRequest("GET", "\(url)/file"))
                    #expect(Data(file.body) == FileManager.default.contents(atPath: certificate.file))
                }
                do {
                    let stream = try await client.stream(HTTPClientRequest("GET", "\(url)/stream"))
                    var iterator = stream.makeAsyncIterator()
                    #expect(try await iterator.next() == Array("streamed".utf8))
                }
                #expect(try await ends.first() == .clientLeft)
                let stranger = HTTPClient()
                await #expect {
                    try await stranger.send(HTTPClientRequest("GET", "\(url)/now"))
                } throws: {
                    ($0 as? HTTPClientError)?.kind == .tls
                }
            }
        }
    }
}

/// A certificate for `localhost` that vouches for itself, made by the `openssl` command.
struct Certificate {
    let file: String
    let key: String

    init(in directory: String, name: String) throws {
        file = "\(directory)/\(name).pem"
        key = "\(directory)/\(name).key"
        let process = ChildProcess(
            "/usr/bin/env",
            ["openssl", "req", "-x509", "-newkey", "ec", "-pkeyopt", "ec_paramgen_curve:P-256", "-nodes", "-days", "2"]
                + ["-subj", "/CN=localhost", "-addext", "subjectAltName=DNS:localhost,IP:127.0.0.1"]
                + ["-keyout", key, "-out", file], error: .nullDevice)
        try process.runToEnd()
    }
}
