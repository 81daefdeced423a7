import HTTPServer
import Testing

/// Answers that are written bit by bit.
struct StreamTests {
    /// Passes each opened stream to the test, and reports how it ended.
    struct Opener {
        let streams = Signal<HTTPResponseStream>()
        let ends = Signal<HTTPStreamEnd>()
        var bufferBytesMaximum = 256 << 10

        var handler: TestHandler {
            TestHandler(answering: { [streams, ends, bufferBytesMaximum] request in
                guard request.path != "/now" else { return .now(.text("now")) }
                let stream = HTTPResponseStream(bufferBytesMaximum: bufferBytesMaximum)
                stream.onClose { ends.send($0) }
                streams.send(stream)
                return .now(
                    HTTPResponse(status: 200, headers: [("Content-Type", "text/event-stream")], body: .stream(stream)))
            })
        }
    }

    @Test func writesArriveAtOnceAndTheConnectionIsReused() async throws {
        let opener = Opener()
        try await withServer(opener.handler) { server in
            let connection = try RawConnection(port: server.port)
            try connection.send("GET / HTTP/1.1\r\nHost: h\r\n\r\n")
            let stream = try await opener.streams.first()
            let head = try await connection.read(through: "\r\n\r\n")
            #expect(head.contains("Transfer-Encoding: chunked"))
            for number in 0..<50 {
                stream.write(Array("data: \(number)\n\n".utf8))
                _ = try await connection.read(through: "data: \(number)\n\n")
            }
            #expect(server.counts.streams == 1)
            stream.finish()
            #expect(try await opener.ends.first() == .finished)
            _ = try await connection.read(through: "0\r\n\r\n")
            #expect(stream.write([1]) == false)
            try connection.send("GET /now HTTP/1.1\r\nHost: h\r\n\r\n")
            #expect(try await connection.response().text == "now")
        }
    }

    @Test func aStreamOfKnownLengthSaysItAndIsNotCutInChunks() async throws {
        let handler = TestHandler(answering: { _ in
            let stream = HTTPResponseStream(length: 6)
            stream.write(Array("one".utf8))
            stream.write(Array("two".utf8))
            stream.finish()
            return .now(HTTPResponse(status: 200, body: .stream(stream)))
        })
        try await withServer(handler) { server in
            let connection = try RawConnection(port: server.port)
            for method in ["GET", "HEAD", "GET"] {
                try connection.send("\(method) / HTTP/1.1\r\nHost: h\r\n\r\n")
                let head = try await connection.read(through: "\r\n\r\n")
                #expect(head.contains("Content-Length: 6") && !head.contains("chunked"), "\(method): \(head)")
                if method == "GET" { _ = try await connection.read(through: "onetwo") }
            }
        }
    }

    @Test("an answer of 304 says the length that 200 has, and the connection goes on")
    func lengthOfNotModified() async throws {
        let handler = TestHandler(answering: { _ in
            .now(HTTPResponse(status: 304, body: .stream(HTTPResponseStream(length: 6))))
        })
        try await withServer(handler) { server in
            let connection = try RawConnection(port: server.port)
            for method in ["GET", "HEAD", "GET"] {
                try connection.send("\(method) / HTTP/1.1\r\nHost: h\r\n\r\n")
                let response = try await connection.response(isHead: method == "HEAD")
                #expect(response.status == 304 && response["Content-Length"] == "6", "\(method)")
            }
        }
    }

    @Test func writesBeforeTheHeadAreNotLost() async throws {
        let handler = TestHandler(answering: { _ in
            let stream = HTTPResponseStream()
            stream.write(Array("one ".utf8))
            stream.write(Array("two".utf8))
            stream.finish()
            return .later { HTTPResponse(status: 200, body: .stream(stream)) }
        })
        try await withServer(handler) { server in
            let connection = try RawConnection(port: server.port)
            try connection.send("GET / HTTP/1.1\r\nHost: h\r\n\r\n")
            #expect(try await connection.response().text == "one two")
        }
    }

    @Test func writersOnManyTasksLoseNothing() async throws {
        let opener = Opener(bufferBytesMaximum: 8 << 20)
        try await withServer(opener.handler) { server in
            let connection = try RawConnection(port: server.port)
            try connection.send("GET / HTTP/1.1\r\nHost: h\r\n\r\n")
            let stream = try await opener.streams.first()
            await withTaskGroup(of: Void.self) { group in
                for writer in 0..<8 {
                    group.addTask {
                        for _ in 0..<500 {
                            stream.write([UInt8](repeating: UInt8(ascii: "a") + UInt8(writer), count: 100))
                        }
                    }
                }
            }
            stream.finish()
            let body = try await connection.response().body
            #expect(body.count == 8 * 500 * 100)
            let pieces = stride(from: 0, to: body.count, by: 100).map { Set(body[$0..<$0 + 100]).count }
            #expect(pieces.allSatisfy { $0 == 1 })
        }
    }

    @Test func readerThatDoesNotReadLosesItsConnection() async throws {
        let opener = Opener(bufferBytesMaximum: 100_000)
        try await withServer(opener.handler) { server in
            let connection = try RawConnection(port: server.port, receiveBuffer: 4096)
            try connection.send("GET / HTTP/1.1\r\nHost: h\r\n\r\n")
            let stream = try await opener.streams.first()
            var written = 0
            while stream.write([UInt8](repeating: 120, count: 1000)) { written += 1000 }
            #expect(try await opener.ends.first() == .readerTooSlow)
            // What the kernel took is bounded by the send buffer and the client's own.
            #expect(written < 1_000_000)
            await #expect(throws: (any Error).self) { try await connection.response() }
        }
    }

    @Test(arguments: [true, false])
    func clientThatLeavesAQuietStreamIsNoticed(resets: Bool) async throws {
        let opener = Opener()
        try await withServer(opener.handler) { server in
            let connection = try RawConnection(port: server.port)
            try connection.send("GET / HTTP/1.1\r\nHost: h\r\n\r\n")
            let stream = try await opener.streams.first()
            stream.write([1])
            if resets { connection.reset() } else { connection.close() }
            #expect(try await opener.ends.atLeast(1) == [.clientLeft])
            #expect(stream.write([1]) == false)
        }
    }

    @Test func observersOfAnEndedStreamAreCalledAtOnce() async throws {
        let opener = Opener()
        try await withServer(opener.handler) { server in
            let connection = try RawConnection(port: server.port)
            try connection.send("GET / HTTP/1.1\r\nHost: h\r\n\r\n")
            let stream = try await opener.streams.first()
            stream.finish()
            _ = try await opener.ends.first()
            let late = Signal<HTTPStreamEnd>()
            stream.onClose { late.send($0) }
            #expect(late.values == [.finished])
        }
    }

    @Test func streamBelongsToOneAnswer() async throws {
        let shared = HTTPResponseStream()
        let handler = TestHandler(answering: { _ in .now(HTTPResponse(status: 200, body: .stream(shared))) })
        try await withServer(handler) { server in
            let first = try RawConnection(port: server.port)
            try first.send("GET / HTTP/1.1\r\nHost: h\r\n\r\n")
            _ = try await first.read(through: "\r\n\r\n")
            let second = try RawConnection(port: server.port)
            try second.send("GET / HTTP/1.1\r\nHost: h\r\n\r\n")
            #expect(try await second.response().status == 500)
        }
    }

    @Test func quietStreamOutlivesTheIdleTimeout() async throws {
        let opener = Opener()
        try await withServer(opener.handler, { $0.timeouts.idle = .seconds(1) }) { server in
            let idle = try RawConnection(port: server.port)
            try idle.send("GET /now HTTP/1.1\r\nHost: h\r\n\r\n")
            #expect(try await idle.response().text == "now")
            let connection = try RawConnection(port: server.port)
            try connection.send("GET / HTTP/1.1\r\nHost: h\r\n\r\n")
            let stream = try await opener.streams.first()
            // When the idle one, which moved last before the stream did, is closed, the stream's time would be over
            // too.
            #expect(try await idle.rest().isEmpty)
            let later = try RawConnection(port: server.port)
            try later.send("GET /now HTTP/1.1\r\nHost: h\r\n\r\n")
            _ = try await later.response()
            #expect(try await later.rest().isEmpty)
            stream.write(Array("still".utf8))
            _ = try await connection.read(through: "still")
        }
    }
}
