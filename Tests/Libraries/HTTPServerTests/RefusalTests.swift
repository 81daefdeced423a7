import HTTPServer
import Synchronization
import Testing

/// What the server refuses by itself, in its owner's words.
struct RefusalTests {
    @Test(arguments: [
        "Content-Length: 5\r\nContent-Length: 5", "Content-Length: 5\r\nContent-Length: 6",
        "Content-Length: 5\r\nTransfer-Encoding: chunked", "Transfer-Encoding: chunked\r\nTransfer-Encoding: chunked",
        "Transfer-Encoding: gzip, chunked", "Transfer-Encoding: identity", "Transfer-Encoding: xchunked",
        "Transfer-Encoding:",
    ])
    func lengthStatedInTwoWaysIsRefusedAndTheConnectionEnds(headers: String) async throws {
        let answered = Signal<String>()
        let handler = TestHandler(answering: { request in
            answered.send(request.path)
            return .now(.text("answered"))
        })
        try await withServer(handler) { server in
            let connection = try RawConnection(port: server.port)
            try connection.send(
                "POST /outer HTTP/1.1\r\nHost: h\r\n\(headers)\r\n\r\n0\r\n\r\nGET /inner HTTP/1.1\r\nHost: h\r\n\r\n")
            let text = String(decoding: try await connection.rest(), as: UTF8.self)
            #expect(text.hasPrefix("HTTP/1.1 400 "))
            #expect(LoadedLibrary.hasRefused(text, as: "ambiguousLength"))
            #expect(text.contains("Connection: close"))
            #expect(answered.values.isEmpty)
        }
    }

    @Test(arguments: [
        "Transfer-Encoding : chunked", "X Y: z", "X: a\u{1}b", "Host: other", "(): x", "X: a\rb",
    ])
    func headerThatAnotherServerMightReadDifferentlyIsRefused(header: String) async throws {
        try await withServer { server in
            let connection = try RawConnection(port: server.port)
            try connection.send("GET / HTTP/1.1\r\nHost: h\r\n\(header)\r\n\r\nGET /inner HTTP/1.1\r\nHost: h\r\n\r\n")
            let text = String(decoding: try await connection.rest(), as: UTF8.self)
            #expect(text.hasPrefix("HTTP/1.1 400 "))
            #expect(LoadedLibrary.hasRefused(text, as: "malformedHeader"))
        }
    }

    /// Lines that a proxy in front may read otherwise than the library behind us (review, finding 21).
    @Test(arguments: [
        "GET / HTTP/1.1\nHost: h\r\nX: y\r\n\r\n", "GET / HTTP/1.1\r\nHost: h\nX: y\r\n\r\n",
        "GET / HTTP/1.1\r\nHost: h\r\nX: y\n\r\n", "GET / HTTP/1.1\nHost: h\nX: y\n\n",
        "GET / HTTP/1.1\r\nHost: h\r\nX: a\0b\r\n\r\n", "GET / HTTP/1.1\r\nHost: h\0.other\r\nX: a\r\n\r\n",
        "GET / HTTP/1.1\r\nHost: h\r\nX: a\0\r\n\r\n", "GET / HTTP/1.1\r\nHost: h\r\nX\0: a\r\n\r\n",
        "GET / HTTP/1.1\r\nHost: h\r\nX: \0\r\n\r\n", "GET / HTTP/1.1\r\nHost: h\r\nX: a\r\n b\r\n\r\n",
        "GET / HTTP/1.1\r\nHost: h\r\nX: a\r\n\tb\r\nY: c\r\n\r\n",
        "POST / HTTP/1.1\r\nHost: h\r\nTransfer-Encoding:\r\n chunked\r\n\r\n0\r\n\r\n",
        "POST / HTTP/1.1\r\nHost: h\r\nTransfer-Encoding:\r\n\tchunked\r\nX: y\r\n\r\n0\r\n\r\n",
        "POST / HTTP/1.1\r\nTransfer-Encoding: chunked\r\n \r\nHost: h\r\n\r\n0\r\n\r\n",
        "POST / HTTP/1.1\r\nHost: h\r\nContent-Length: 5\r\n 0\r\n\r\nabcde",
        "POST / HTTP/1.1\r\nHost: h\r\nContent-Length: 5\0\r\n\r\nabcde",
        "POST / HTTP/1.1\r\nHost: h\nContent-Length: 5\n\nabcde",
    ])
    func linesThatAnotherServerMightReadDifferentlyAreRefused(request: String) async throws {
        let answered = Signal<String>()
        let handler = TestHandler(answering: { request in
            answered.send(request.path)
            return .now(.text("answered"))
        })
        try await withServer(handler) { server in
            let connection = try RawConnection(port: server.port)
            try connection.send(request + "GET /inner HTTP/1.1\r\nHost: h\r\n\r\n")
            let text = String(decoding: try await connection.rest(), as: UTF8.self)
            #expect(text.hasPrefix("HTTP/1.1 400 "), "\(text)")
            #expect(answered.values.isEmpty)
        }
    }

    /// Addresses that carry secrets are made of it (review, finding 18).
    @Test(arguments: ["evil.example/x?y=", "a b", "user@h", "h:80:80x", "h#", "[::1", "h:x", "%00", "a,b", "h/", "<h>"])
    func hostThatIsNoneIsRefused(host: String) async throws {
        try await withServer { server in
            let connection = try RawConnection(port: server.port)
            try connection.send("GET / HTTP/1.1\r\nHost: \(host)\r\n\r\n")
            #expect(String(decoding: try await connection.rest(), as: UTF8.self).hasPrefix("HTTP/1.1 400 "))
        }
    }

    @Test(arguments: ["h", "h:80", "127.0.0.1:8080", "[::1]:80", "[::1]", "a-b.example_c.com:", "h."])
    func hostIsTaken(host: String) async throws {
        try await withServer { server in
            let connection = try RawConnection(port: server.port)
            try connection.send("GET / HTTP/1.1\r\nHost: \(host)\r\n\r\n")
            #expect(try await connection.response().status == 200)
        }
    }

    /// A proper request stays so, also when it comes byte by byte, and many times on one connection.
    @Test(arguments: [
        "X: y\r\n", "X:y\r\n", "X: \t y\r\n", "X: y \t \r\n", "X:\r\n", "X: \r\nY: \r\n",
        "X: a:b\r\nCookie: a=b; c=d\r\n",
    ])
    func properLinesAreServed(headers: String) async throws {
        try await withServer { server in
            let connection = try RawConnection(port: server.port)
            let request = "GET /?a=b HTTP/1.1\r\nHost: h\r\n\(headers)\r\n"
            for _ in 0..<3 {
                try connection.send(request)
                #expect(try await connection.response().text == "hello")
            }
            try connection.send(request + request)
            for _ in 0..<2 { #expect(try await connection.response().text == "hello") }
            for byte in request.utf8 { try connection.send([byte]) }
            #expect(try await connection.response().text == "hello")
            try connection.send(
                "POST / HTTP/1.1\r\nHost: h\r\n\(headers)Content-Length: 3\r\n\r\n\0\0\0" + request)
            for _ in 0..<2 { #expect(try await connection.response().text == "hello") }
        }
    }

    @Test func expectationsAreRefusedBeforeTheBody() async throws {
        let configure = { (configuration: inout HTTPServerConfiguration) in
            configuration.bodyBytesMaximum = 1 << 20
            configuration.bodiesBytesMaximum = 2 << 20
        }
        try await withServer(TestHandler(), configure) { server in
            let first = try RawConnection(port: server.port)
            try first.send(
                "POST / HTTP/1.1\r\nHost: h\r\nContent-Length: 1048576\r\n\r\n"
                    + String(repeating: "x", count: 600 << 10))
            try await eventually { server.bodyBytesReserved == 1 << 20 }
            let second = try RawConnection(port: server.port)
            try second.send(
                "POST / HTTP/1.1\r\nHost: h\r\nContent-Length: 1048576\r\nExpect: 100-continue\r\n\r\n")
            let text = String(decoding: try await second.rest(), as: UTF8.self)
            #expect(text.hasPrefix("HTTP/1.1 503 ") && text.hasSuffix("refused: bodiesTooLarge"))
        }
    }

    @Test func connectionsOfAnAddressOverItsShareAreClosed() async throws {
        let configure = { (configuration: inout HTTPServerConfiguration) in
            configuration.connectionsPerAddressMaximum = 3
            configuration.countsLoopback = true
        }
        try await withServer(TestHandler(), configure) { server in
            let connections = try (0..<3).map { _ in try RawConnection(port: server.port, source: 9) }
            try await eventually { server.counts.connections == 3 }
            let surplus = try RawConnection(port: server.port, source: 9)
            try? surplus.send("GET / HTTP/1.1\r\nHost: h\r\n\r\n")
            #expect((try? await surplus.rest())?.isEmpty != false)
            let other = try RawConnection(port: server.port, source: 10)
            try other.send("GET / HTTP/1.1\r\nHost: h\r\n\r\n")
            #expect(try await other.response().status == 200)
            connections[0].close()
            try await eventually { server.counts.connections == 3 }
            let next = try RawConnection(port: server.port, source: 9)
            try next.send("GET / HTTP/1.1\r\nHost: h\r\n\r\n")
            #expect(try await next.response().status == 200)
        }
    }

    /// A client that opens the maximum of connections and sends nothing loses some of them to later clients.
    @Test(arguments: [
        "", "GET / HTTP/1.1\r\nHost: h\r\nX: ", "POST / HTTP/1.1\r\nHost: h\r\nContent-Length: 9\r\n\r\n",
        "POST / HTTP/1.1\r\nHost: h\r\nTransfer-Encoding: chunked\r\n\r\n1\r\nx\r\n",
        "GET / HTTP/1.0\r\nHost: h\r\nConnection: keep-alive\r\n\r\n",
    ])
    func connectionsThatRestMakeRoomForNewOnes(start: String) async throws {
        let handler = TestHandler(admission: { _ in .body(maximumBytes: 100, yields: true) })
        try await withServer(handler, { $0.connectionsMaximum = 64 }) { server in
            var idle: [RawConnection] = []
            for _ in 0..<60 {
                idle.append(try RawConnection(port: server.port))
                if !start.isEmpty { try idle.last?.send(start) }
            }
            try await eventually { server.counts.connections >= 60 }
            for _ in 0..<40 {
                let connection = try RawConnection(port: server.port)
                try connection.send("GET / HTTP/1.1\r\nHost: h\r\n\r\n")
                #expect(try await connection.response().status == 200)
                idle.append(connection)
            }
        }
    }

    /// These the library refuses before anybody is asked, in its own words.
    @Test(arguments: [
        "GET / HTTP/1.1\r\n\r\n", "POST / HTTP/1.1\r\nHost: h\r\nContent-Length: -1\r\n\r\n",
        "POST / HTTP/1.1\r\nHost: h\r\nContent-Length: 0x10\r\n\r\n", "GET / HTTP/1.1\r\nHost: h\r\nnonsense\r\n\r\n",
    ])
    func malformedRequestIsRefused(request: String) async throws {
        try await withServer { server in
            let connection = try RawConnection(port: server.port)
            try connection.send(request)
            let text = String(decoding: try await connection.rest(), as: UTF8.self)
            #expect(text.hasPrefix("HTTP/1.1 400 "))
        }
    }

    @Test func headersOverTheLimitAreRefused() async throws {
        try await withServer(TestHandler(), { $0.headerBytesMaximum = 1000 }) { server in
            for headers in ["X: \(String(repeating: "a", count: 1000))", "X: \(String(repeating: "a", count: 20_000))"]
            {
                let connection = try RawConnection(port: server.port)
                try connection.send("GET / HTTP/1.1\r\nHost: h\r\n\(headers)\r\n\r\n")
                let text = String(decoding: try await connection.rest(), as: UTF8.self)
                #expect(text.hasPrefix("HTTP/1.1 431 "))
            }
            let connection = try RawConnection(port: server.port)
            try connection.send("GET / HTTP/1.1\r\nHost: h\r\nX: \(String(repeating: "a", count: 900))\r\n\r\n")
            #expect(try await connection.response().status == 200)
        }
    }

    /// The memory of a connection holds what the limits allow, also beside a body.
    @Test(arguments: [
        ["X: \(String(repeating: "a", count: 8000))"], (1..<99).map { "X\($0): \(String(repeating: "a", count: 70))" },
    ])
    func headersUpToTheUsualLimitsAreServed(headers: [String]) async throws {
        try await withServer(echo { "\($0.headers.count) \($0.body.count)" }) { server in
            let connection = try RawConnection(port: server.port)
            for _ in 0..<2 {
                try connection.send(
                    "POST / HTTP/1.1\r\nHost: h\r\nContent-Length: 50000\r\n\(headers.map { "\($0)\r\n" }.joined())\r\n"
                        + String(repeating: "x", count: 50_000))
                #expect(try await connection.response().text == "\(headers.count + 2) 50000")
            }
        }
    }

    @Test func tooManyHeadersAreRefused() async throws {
        try await withServer(TestHandler(), { $0.headersMaximum = 20 }) { server in
            let connection = try RawConnection(port: server.port)
            try connection.send("GET / HTTP/1.1\r\nHost: h\r\n\((0..<20).map { "X\($0): y\r\n" }.joined())\r\n")
            let response = try await connection.response()
            #expect(response.status == 431)
            #expect(response.text == "refused: headersTooLarge")
        }
    }

    @Test func largeBodyIsRefusedBeforeItIsSent() async throws {
        let answered = Signal<Void>()
        let handler = TestHandler(
            admission: { _ in .body(maximumBytes: 1000) },
            answering: { _ in
                answered.send()
                return .now(.text("answered"))
            })
        try await withServer(handler) { server in
            let connection = try RawConnection(port: server.port)
            try connection.send("POST / HTTP/1.1\r\nHost: h\r\nContent-Length: 100000000\r\n\r\n")
            let text = String(decoding: try await connection.rest(), as: UTF8.self)
            #expect(text.hasPrefix("HTTP/1.1 413 "))
            #expect(text.hasSuffix("refused: bodyTooLarge"))
            #expect(answered.values.isEmpty)
        }
    }

    /// A client that is still sending must get to read the answer, not a reset.
    @Test func clientThatSendsItsLargeBodyAnywayReadsTheRefusal() async throws {
        try await withServer(TestHandler(admission: { _ in .body(maximumBytes: 1000) })) { server in
            let connection = try RawConnection(port: server.port)
            try connection.send("POST / HTTP/1.1\r\nHost: h\r\nContent-Length: 4000000\r\n\r\n")
            try await onThread { try connection.send([UInt8](repeating: 120, count: 4_000_000)) }
            connection.finishSending()
            let text = String(decoding: try await connection.rest(), as: UTF8.self)
            #expect(text.hasPrefix("HTTP/1.1 413 "))
            #expect(text.hasSuffix("refused: bodyTooLarge"))
        }
    }

    @Test func chunksOverTheLimitAreRefusedWhenTheyEnd() async throws {
        try await withServer(TestHandler(admission: { _ in .body(maximumBytes: 10) })) { server in
            let connection = try RawConnection(port: server.port)
            try connection.send("POST / HTTP/1.1\r\nHost: h\r\nTransfer-Encoding: chunked\r\n\r\n")
            for _ in 0..<5 { try connection.send("3\r\nabc\r\n") }
            try connection.send("0\r\n\r\nGET / HTTP/1.1\r\nHost: h\r\n\r\n")
            let response = try await connection.response()
            #expect(response.status == 413)
            #expect(response.text == "refused: bodyTooLarge")
            #expect(try await connection.response().text == "hello")
        }
    }

    @Test func chunksWithoutEndAreCutOff() async throws {
        try await withServer(TestHandler(admission: { _ in .body(maximumBytes: 10) })) { server in
            let connection = try RawConnection(port: server.port)
            try connection.send("POST / HTTP/1.1\r\nHost: h\r\nTransfer-Encoding: chunked\r\n\r\n")
            let chunk = Array("10000\r\n".utf8) + [UInt8](repeating: 120, count: 65_536) + Array("\r\n".utf8)
            let sent = try await onThread {
                for count in 0..<1000 {
                    do { try connection.send(chunk) } catch { return count }
                }
                return 1000
            }
            #expect(sent < 1000)
        }
    }

    @Test func smallBodyOfARefusedRequestIsReadAndTheConnectionGoesOn() async throws {
        let handler = TestHandler(admission: {
            $0.path == "/no" ? .refuse(.text("no", status: 403)) : .body(maximumBytes: 100)
        })
        try await withServer(handler) { server in
            let connection = try RawConnection(port: server.port)
            try connection.send(
                "POST /no HTTP/1.1\r\nHost: h\r\nContent-Length: 5\r\n\r\nabcdeGET / HTTP/1.1\r\nHost: h\r\n\r\n")
            let response = try await connection.response()
            #expect(response.status == 403)
            #expect(response["Connection"] == nil)
            #expect(try await connection.response().text == "hello")
        }
    }

    @Test func clientThatExpectsToBeAskedIsRefusedWithoutItsBody() async throws {
        try await withServer(TestHandler(admission: { _ in .refuse(.text("no", status: 403)) })) { server in
            let connection = try RawConnection(port: server.port)
            try connection.send("POST / HTTP/1.1\r\nHost: h\r\nContent-Length: 50\r\nExpect: 100-continue\r\n\r\n")
            let text = String(decoding: try await connection.rest(), as: UTF8.self)
            #expect(text.hasPrefix("HTTP/1.1 403 "))
        }
    }

    @Test func admissionCannotAllowMoreThanTheConfiguration() async throws {
        let handler = TestHandler(admission: { _ in .body(maximumBytes: 1 << 30) })
        try await withServer(handler, { $0.bodyBytesMaximum = 2000 }) { server in
            let connection = try RawConnection(port: server.port)
            try connection.send(
                "POST / HTTP/1.1\r\nHost: h\r\nContent-Length: 2001\r\n\r\n" + String(repeating: "x", count: 2001))
            #expect(try await connection.response().status == 413)
        }
    }

    @Test func connectionsOverTheLimitGet503() async throws {
        try await withServer(TestHandler(), { $0.connectionsMaximum = 3 }) { server in
            var connections: [RawConnection] = []
            for _ in 0..<3 {
                let connection = try RawConnection(port: server.port)
                try connection.send("GET / HTTP/1.1\r\nHost: h\r\n\r\n")
                #expect(try await connection.response().status == 200)
                connections.append(connection)
            }
            let surplus = try RawConnection(port: server.port)
            try surplus.send("GET / HTTP/1.1\r\nHost: h\r\n\r\n")
            let text = String(decoding: try await surplus.rest(), as: UTF8.self)
            #expect(text.hasPrefix("HTTP/1.1 503 "))
            #expect(text.hasSuffix("refused: tooManyConnections"))
            try connections[0].send("GET / HTTP/1.1\r\nHost: h\r\n\r\n")
            #expect(try await connections[0].response().status == 200)
        }
    }
}
