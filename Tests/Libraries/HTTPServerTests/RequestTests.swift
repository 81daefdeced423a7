import HTTPServer
import Testing

/// What a request that is fine looks like to its handler.
struct RequestTests {
    @Test func headAndBodyArriveAsTheyWereSent() async throws {
        let handler = echo { request in
            let headers = request.headers
            return [
                request.method, request.target, request.path,
                "\(request.query.map { "\($0.name)=\($0.value)" })", "\(request.head.isHead)",
                headers["x-one"] ?? "-", "\(headers.values("X-TWO"))", headers["x-none"] ?? "-",
                request.remoteAddress, "\(request.body)",
            ].joined(separator: "|")
        }
        try await withServer(handler) { server in
            let connection = try RawConnection(port: server.port)
            try connection.send(
                "POST /a%20b/c?x=1&y=%C3%A4+b&z HTTP/1.1\r\nHost: h\r\nX-One:  first \t\r\nX-Two: a\r\nx-two: b\r\n"
                    + "Content-Length: 3\r\n\r\nabc")
            let response = try await connection.response()
            #expect(response.status == 200)
            #expect(
                response.text
                    == "POST|/a%20b/c?x=1&y=%C3%A4+b&z|/a b/c|[\"x=1\", \"y=ä b\", \"z=\"]|false|"
                    + "first|[\"a\", \"b\"]|-|127.0.0.1|bytes([97, 98, 99])")
        }
    }

    @Test(arguments: [
        ("/", []), ("/a", ["a"]), ("/a/", ["a", ""]), ("/a//b", ["a", "", "b"]), ("/a%2Fb/c", ["a/b", "c"]),
        ("/%e2%82%ac", ["€"]), ("/a+b", ["a+b"]), ("/../x", ["..", "x"]), ("http://other/a?b", ["a"]),
        ("http://other", []),
    ])
    func pathIsTakenApartBeforeItIsDecoded(target: String, segments: [String]) async throws {
        try await withServer(echo { "\($0.pathSegments)" }) { server in
            let connection = try RawConnection(port: server.port)
            try connection.send("GET \(target) HTTP/1.1\r\nHost: h\r\n\r\n")
            #expect(try await connection.response().text == "\(segments)")
        }
    }

    @Test(arguments: ["/a%00b", "/%ff", "/a%c3", "/%2", "/%zz", "/?a=%00", "/?a=%fe", "/a#b", "a/b", "/%C0%AF"])
    func targetThatDoesNotDecodeIsRefusedAndTheConnectionGoesOn(target: String) async throws {
        try await withServer { server in
            let connection = try RawConnection(port: server.port)
            try connection.send("GET \(target) HTTP/1.1\r\nHost: h\r\n\r\n")
            let response = try await connection.response()
            #expect(response.status == 400)
            #expect(response.text == "refused: malformedTarget")
            try connection.send("GET / HTTP/1.1\r\nHost: h\r\n\r\n")
            #expect(try await connection.response().text == "hello")
        }
    }

    @Test func pipelinedRequestsAreAnsweredInOrderAlsoWhenSomeWait() async throws {
        let handler = TestHandler(answering: { request in
            let text = "\(request.path):\(request.body.count)"
            return request.path.hasSuffix("0") ? .later { .text(text) } : .now(.text(text))
        })
        try await withServer(handler) { server in
            let connection = try RawConnection(port: server.port)
            let requests = (0..<40).map { number in
                number.isMultiple(of: 3)
                    ? "POST /\(number) HTTP/1.1\r\nHost: h\r\nContent-Length: \(number)\r\n\r\n"
                        + String(repeating: "x", count: number)
                    : "GET /\(number) HTTP/1.1\r\nHost: h\r\n\r\n"
            }
            try connection.send(requests.joined())
            for number in 0..<40 {
                let length = number.isMultiple(of: 3) ? number : 0
                #expect(try await connection.response().text == "/\(number):\(length)")
            }
        }
    }

    @Test func chunkedBodyArrivesWhole() async throws {
        try await withServer(echo { "\($0.body.count) \($0.head.bodyBytesAnnounced.map { "\($0)" } ?? "nil")" }) {
            server in
            let connection = try RawConnection(port: server.port)
            let note = LoadedLibrary.isFirstMajor ? "" : ";x=y"
            try connection.send("POST / HTTP/1.1\r\nHost: h\r\nTransfer-Encoding: Chunked\r\n\r\n5\(note)\r\nab")
            try connection.send("cde\r\n1\r\nf\r\n0\r\n\r\n")
            #expect(try await connection.response().text == "6 nil")
        }
    }

    @Test func clientThatExpectsToBeAskedIsAsked() async throws {
        try await withServer(echo { "\($0.body.count)" }) { server in
            let connection = try RawConnection(port: server.port)
            try connection.send("POST / HTTP/1.1\r\nHost: h\r\nContent-Length: 3\r\nExpect: 100-continue\r\n\r\n")
            #expect(try await connection.response().status == 100)
            try connection.send("abc")
            #expect(try await connection.response().text == "3")
        }
    }

    @Test func oldClientGetsItsAnswerAndTheEndOfTheConnection() async throws {
        try await withServer { server in
            let connection = try RawConnection(port: server.port)
            try connection.send("GET / HTTP/1.0\r\n\r\n")
            let text = String(decoding: try await connection.rest(), as: UTF8.self)
            #expect(text.hasPrefix("HTTP/1.1 200") || text.hasPrefix("HTTP/1.0 200"))
            #expect(text.hasSuffix("hello"))
        }
    }

    enum Route: String, CaseIterable { case bytes, later, stream, file, empty }

    @Test(arguments: Route.allCases)
    func headOfAnyRouteHasNoBodyAndTheConnectionGoesOn(route: Route) async throws {
        let ends = Signal<HTTPStreamEnd>()
        let methods = Signal<String>()
        let handler = TestHandler(answering: { request in
            methods.send("\(request.method) \(request.head.isHead)")
            switch Route(rawValue: request.pathSegments[0]) {
            case .later: return .later { .text("four") }
            case .file: return .now(HTTPResponse(status: 200, body: .file(path: "/etc/hostname")))
            case .empty: return .now(HTTPResponse(status: 204))
            case .stream:
                let stream = HTTPResponseStream()
                stream.onClose { ends.send($0) }
                return .now(HTTPResponse(status: 200, body: .stream(stream)))
            default: return .now(.text("four"))
            }
        })
        try await withServer(handler) { server in
            let connection = try RawConnection(port: server.port)
            for _ in 0..<2 {
                try connection.send("HEAD /\(route) HTTP/1.1\r\nHost: h\r\n\r\n")
                let response = try await connection.response(isHead: true)
                #expect(response.status == (route == .empty ? 204 : 200))
                if route == .bytes || route == .later { #expect(response["Content-Length"] == "4") }
            }
            #expect(methods.values == ["GET true", "GET true"])
            if route == .stream { #expect(try await ends.atLeast(2) == [.finished, .finished]) }
        }
    }
}
