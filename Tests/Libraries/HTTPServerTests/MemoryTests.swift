import HTTPServer
import Testing

/// What bodies and answers of many clients may take of the memory together.
@Suite struct MemoryTests {
    private static func limit(_ configuration: inout HTTPServerConfiguration) {
        configuration.bodyBytesMaximum = 1 << 20
        configuration.bodiesBytesMaximum = 2 << 20
    }

    private static func post(_ path: String, bytes: Int) -> String {
        "POST \(path) HTTP/1.1\r\nHost: h\r\nContent-Length: \(bytes)\r\n\r\n"
    }

    @Test func aLargeBodyWithoutRoomIsRefusedBeforeItIsReadAndSmallOnesAreNot() async throws {
        try await withServer(TestHandler(), Self.limit) { server in
            // One large body is on its way: it has its room from its announcement on.
            let first = try RawConnection(port: server.port)
            try first.send(Self.post("/", bytes: 1 << 20) + "x")
            try await eventually { server.counts.requests == 1 }
            let second = try RawConnection(port: server.port)
            try second.send(Self.post("/", bytes: 1 << 20))
            let refused = String(decoding: try await second.rest(), as: UTF8.self)
            #expect(refused.hasPrefix("HTTP/1.1 503 ") && refused.hasSuffix("refused: bodiesTooLarge"))
            // So is one in chunks, once it has grown; it is read to its end.
            let chunked = try RawConnection(port: server.port)
            try chunked.send("POST / HTTP/1.1\r\nHost: h\r\nTransfer-Encoding: chunked\r\n\r\n")
            try chunked.send("c0000\r\n" + String(repeating: "x", count: 0xc0000) + "\r\n0\r\n\r\n")
            #expect(try await chunked.response().text == "refused: bodiesTooLarge")
            let small = try RawConnection(port: server.port)
            try small.send(Self.post("/", bytes: 5) + "abcde")
            #expect(try await small.response().status == 200)
            // Its room is free again once it is answered.
            try first.send(String(repeating: "x", count: (1 << 20) - 1))
            #expect(try await first.response().status == 200)
            let next = try RawConnection(port: server.port)
            try next.send(Self.post("/", bytes: 1 << 20) + String(repeating: "x", count: 1 << 20))
            #expect(try await next.response().status == 200)
        }
    }

    @Test func answersThatFindNoRoomWaitInFilesThatHaveNoName() async throws {
        let text = String(repeating: "0123456789abcdef", count: 40_000)
        let handler = TestHandler(answering: { _ in .now(.text(text)) })
        try await withServer(handler, { $0.answersBytesMaximum = 1000 }) { server in
            for _ in 0..<2 {
                let connection = try RawConnection(port: server.port)
                try connection.send("GET / HTTP/1.1\r\nHost: h\r\n\r\nGET / HTTP/1.1\r\nHost: h\r\n\r\n")
                #expect(try await connection.response().text == text)
                #expect(try await connection.response().text == text)
            }
        }
    }
}
