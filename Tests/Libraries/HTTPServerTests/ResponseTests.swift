import HTTPServer
import Testing

/// Answers that cannot be sent as they are.
struct ResponseTests {
    @Test(arguments: [
        HTTPResponse(status: 200, headers: [("X", "a\r\nSet-Cookie: b")]),
        HTTPResponse(status: 200, headers: [("X", "a\nb")]),
        HTTPResponse(status: 200, headers: [("X", "a\0b")]),
        HTTPResponse(status: 200, headers: [("X Y", "a")]),
        HTTPResponse(status: 200, headers: [("X\r\nY", "a")]),
        HTTPResponse(status: 200, headers: [("", "a")]),
        HTTPResponse(status: 200, headers: [("Content-Length", "1")]),
        HTTPResponse(status: 200, headers: [("transfer-encoding", "chunked")]),
        HTTPResponse(status: 200, headers: [("Connection", "keep-alive")]),
        HTTPResponse(status: 100), HTTPResponse(status: 600),
        HTTPResponse(status: 200, body: .file(path: "/nowhere/file")),
        HTTPResponse(status: 200, body: .file(path: "/etc")),
    ])
    func answerThatCannotBeSentIsReplacedAndLogged(response: HTTPResponse) async throws {
        let events = Signal<HTTPServerEvent>()
        let handler = TestHandler(answering: { _ in .now(response) })
        try await withServer(handler, { $0.log = { events.send($0) } }) { server in
            let connection = try RawConnection(port: server.port)
            for _ in 0..<2 {
                try connection.send("GET /path HTTP/1.1\r\nHost: h\r\n\r\n")
                let answer = try await connection.response()
                #expect(answer.status == 500)
                #expect(answer.text == "refused: invalidResponse")
                #expect(answer["Set-Cookie"] == nil)
            }
            #expect(events.values.filter { $0.severity == .error && $0.message.contains("GET /path") }.count == 2)
        }
    }

    @Test func headersArriveInOrderAndEmptyOnesAreLeftOut() async throws {
        let sent = HTTPResponse(
            status: 201, headers: [("X-A", "1"), ("X-B", ""), ("X-A", "2 ü\t3"), ("Connection", "close")],
            body: .bytes([1, 2, 0]))
        try await withServer(TestHandler(answering: { _ in .now(sent) })) { server in
            let connection = try RawConnection(port: server.port)
            try connection.send("GET / HTTP/1.1\r\nHost: h\r\n\r\n")
            let response = try await connection.response()
            #expect(response.status == 201)
            #expect(response.headers.filter { $0.name.hasPrefix("X-") }.map(\.value) == ["1", "2 ü\t3"])
            #expect(response["Date"] != nil)
            #expect(response.body == [1, 2, 0])
            #expect(try await connection.rest().isEmpty)
        }
    }

    @Test func largeAnswerArrivesWhole() async throws {
        let body = [UInt8](repeating: 1, count: 700_000) + [UInt8](repeating: 2, count: 700_001)
        let handler = TestHandler(answering: { _ in .now(HTTPResponse(status: 200, body: .bytes(body))) })
        try await withServer(handler) { server in
            let connection = try RawConnection(port: server.port)
            try connection.send("GET / HTTP/1.1\r\nHost: h\r\n\r\n")
            #expect(try await connection.response().body == body)
        }
    }

    @Test func refusalThatCannotBeSentIsSentBare() async throws {
        struct Careless: HTTPHandler {
            func admit(_ head: HTTPRequestHead) -> HTTPAdmission { .body(maximumBytes: 0) }
            func answer(_ request: HTTPRequest) -> HTTPAnswer { .now(HTTPResponse(status: 200)) }
            func refusal(_ refusal: HTTPRefusal) -> HTTPResponse {
                HTTPResponse(status: refusal.status, headers: [("X", "\r\n")])
            }
        }
        let server = try await HTTPServer.start(HTTPServerConfiguration(), handler: Careless())
        let connection = try RawConnection(port: server.port)
        try connection.send("GET /%00 HTTP/1.1\r\nHost: h\r\n\r\n")
        let response = try await connection.response()
        #expect(response.status == 400)
        #expect(response.body.isEmpty)
        await server.stop()
    }
}
