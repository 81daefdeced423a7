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
            // More than half of one large body is there: it has its room.
            let first = try RawConnection(port: server.port)
            try first.send(Self.post("/", bytes: 1 << 20) + String(repeating: "x", count: 600 << 10))
            try await eventually { server.bodyBytesReserved == 1 << 20 }
            let second = try RawConnection(port: server.port)
            try second.send(Self.post("/", bytes: 1 << 20))
            let refused = String(decoding: try await second.rest(), as: UTF8.self)
            #expect(refused.hasPrefix("HTTP/1.1 503 ") && refused.hasSuffix("refused: bodiesTooLarge"))
            // So is one in chunks, once it has grown; its connection ends, as nobody knows how much is to come.
            let chunked = try RawConnection(port: server.port)
            try chunked.send("POST / HTTP/1.1\r\nHost: h\r\nTransfer-Encoding: chunked\r\n\r\n")
            try? chunked.send("c0000\r\n" + String(repeating: "x", count: 0xc0000) + "\r\n0\r\n\r\n")
            #expect(try await chunked.response().text == "refused: bodiesTooLarge")
            let small = try RawConnection(port: server.port)
            try small.send(Self.post("/", bytes: 5) + "abcde")
            #expect(try await small.response().status == 200)
            // Its room is free again once it is answered.
            try first.send(String(repeating: "x", count: 424 << 10))
            #expect(try await first.response().status == 200)
            let next = try RawConnection(port: server.port)
            try next.send(Self.post("/", bytes: 1 << 20) + String(repeating: "x", count: 1 << 20))
            #expect(try await next.response().status == 200)
        }
    }

    /// Sockets that announce much and send nothing, or a byte, take nothing from anybody (review, finding 4).
    @Test(arguments: ["", "x"]) func announcedBytesTakeNoMemory(start: String) async throws {
        let configure = { (configuration: inout HTTPServerConfiguration) in
            configuration.bodyBytesMaximum = 1 << 20
            configuration.bodiesBytesMaximum = 4 << 20
        }
        try await withServer(echo { "\($0.body.count)" }, configure) { server in
            var idle: [RawConnection] = []
            for bytes in Array(repeating: 1 << 20, count: 3) + Array(repeating: 256 << 10, count: 128) {
                let connection = try RawConnection(port: server.port)
                try connection.send(Self.post("/", bytes: bytes) + start)
                idle.append(connection)
            }
            // In chunks nothing is announced at all.
            for _ in 0..<20 {
                let connection = try RawConnection(port: server.port)
                try connection.send(
                    "POST / HTTP/1.1\r\nHost: h\r\nTransfer-Encoding: chunked\r\n\r\n"
                        + (start.isEmpty ? "" : "1\r\n\(start)\r\n"))
                idle.append(connection)
            }
            try await eventually { server.counts.requests == 151 }
            for bytes in [5, 300 << 10, 1 << 20] {
                let connection = try RawConnection(port: server.port)
                try connection.send(Self.post("/", bytes: bytes) + String(repeating: "x", count: bytes))
                #expect(try await connection.response().text == "\(bytes)")
            }
        }
    }

    /// One account of the handler's cannot take what others need, however many connections it has.
    @Test func anAccountHasItsShareOfTheMemory() async throws {
        let handler = TestHandler(
            admission: { .body(maximumBytes: 1 << 20, account: $0.path) },
            answering: { .now(.text("\($0.body.count)")) })
        let configure = { (configuration: inout HTTPServerConfiguration) in
            configuration.bodyBytesMaximum = 256 << 10
            configuration.bodiesBytesMaximum = 2 << 20
        }
        try await withServer(handler, configure) { server in
            // Two of them hold the share of half a mebibyte.
            var held: [RawConnection] = []
            for _ in 0..<2 {
                let connection = try RawConnection(port: server.port)
                try connection.send(Self.post("/greedy", bytes: 256 << 10) + String(repeating: "x", count: 255 << 10))
                held.append(connection)
            }
            try await eventually { server.bodyBytesReserved == 512 << 10 }
            let third = try RawConnection(port: server.port)
            try third.send(Self.post("/greedy", bytes: 256 << 10))
            #expect(String(decoding: try await third.rest(), as: UTF8.self).hasSuffix("refused: bodiesTooLarge"))
            let other = try RawConnection(port: server.port)
            try other.send(Self.post("/other", bytes: 256 << 10) + String(repeating: "x", count: 256 << 10))
            #expect(try await other.response().text == "\(256 << 10)")
            held[0].close()
            try await eventually { server.bodyBytesReserved == 256 << 10 }
        }
    }

    @Test func anAddressHasItsShareOfTheMemory() async throws {
        let configure = { (configuration: inout HTTPServerConfiguration) in
            Self.limit(&configuration)
            configuration.countsLoopback = true
        }
        try await withServer(echo { "\($0.body.count)" }, configure) { server in
            let first = try RawConnection(port: server.port, source: 7)
            try first.send(Self.post("/", bytes: 1 << 20) + String(repeating: "x", count: 600 << 10))
            try await eventually { server.bodyBytesReserved == 1 << 20 }
            let second = try RawConnection(port: server.port, source: 7)
            try second.send(Self.post("/", bytes: 100 << 10))
            #expect(String(decoding: try await second.rest(), as: UTF8.self).hasSuffix("refused: bodiesTooLarge"))
            let other = try RawConnection(port: server.port, source: 8)
            try other.send(Self.post("/", bytes: 100 << 10) + String(repeating: "x", count: 100 << 10))
            #expect(try await other.response().text == "\(100 << 10)")
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
