import HTTPServer
import Testing

/// The header `Server` of answers.
struct ServerNameTests {
    @Test(
        "every answer has the name, also those that the server writes itself",
        arguments: [
            ("GET / HTTP/1.1\r\nHost: h\r\n\r\n", 200), ("GET /%00 HTTP/1.1\r\nHost: h\r\n\r\n", 400),
            // Its end never comes.
            ("GET / HTTP/1.1\r\nHost: h\r\nX: ", 408),
        ])
    func named(request: String, status: Int) async throws {
        let configure = { (configuration: inout HTTPServerConfiguration) in
            configuration.serverName = "fanfare/1.2.3"
            configuration.timeouts.headers = .milliseconds(400)
        }
        try await withServer(TestHandler(), configure) { server in
            let connection = try RawConnection(port: server.port)
            try connection.send(request)
            let answer = try await connection.response()
            #expect(answer.status == status)
            #expect(answer.headers.filter { $0.name == "Server" }.map(\.value) == ["fanfare/1.2.3"])
        }
    }

    @Test("a server without a name sends none")
    func unnamed() async throws {
        try await withServer { server in
            let connection = try RawConnection(port: server.port)
            try connection.send("GET / HTTP/1.1\r\nHost: h\r\n\r\n")
            #expect(try await connection.response()["Server"] == nil)
        }
    }
}
