import HTTPServer
import TestSupport
import Testing

/// Bytes that are nearly a request, chunked bodies too: libmicrohttpd reads them, which no fuzzer of ours looks into.
@Suite struct GarbageTests {
    private static let seeds = TestSeeds.several(4)

    /// A request as it should be, its body whole or in chunks.
    private struct Sent {
        var bytes: [UInt8]
        var body: [UInt8]

        init(_ random: inout SeededGenerator) {
            body = (0..<Int.random(in: 0...300, using: &random)).map { _ in UInt8.random(in: 0 ... .max, using: &random)
            }
            let head = "POST /a%20b?c=d HTTP/1.1\r\nHost: h\r\nX-Some: thing\r\n"
            guard Bool.random(using: &random) else {
                bytes = Array("\(head)Content-Length: \(body.count)\r\n\r\n".utf8) + body
                return
            }
            bytes = Array("\(head)Transfer-Encoding: chunked\r\n\r\n".utf8)
            var rest = body[...]
            while !rest.isEmpty {
                let piece = rest.prefix(Int.random(in: 1...100, using: &random))
                rest = rest.dropFirst(piece.count)
                let size = String(piece.count, radix: 16, uppercase: Bool.random(using: &random))
                let zeros = String(repeating: "0", count: Int.random(in: 0...3, using: &random))
                let notes = LoadedLibrary.isFirstMajor ? [""] : ["", ";a=b", ";c"]
                let note = notes.randomElement(using: &random)!
                bytes += Array("\(zeros)\(size)\(note)\r\n".utf8) + piece + [13, 10]
            }
            bytes += Array(
                ["0\r\n\r\n", "0\r\nX-Trailer: t\r\n\r\n", "000\r\n\r\n"].randomElement(using: &random)!.utf8)
        }

        /// A few bytes changed, cut out, doubled, or replaced by what means something to a reader of HTTP.
        mutating func spoil(_ random: inout SeededGenerator) {
            let pieces = [
                "\r\n", "\n", "\r", "\0", ":", " ", "\t", "0\r\n\r\n", "ffffffffffffffff\r\n", "FFFFFFFFFFFFFFFFF\r\n",
                "-1\r\n", "80000000\r\n", "7fffffffffffffff\r\n", "Content-Length: 5\r\n",
                "Transfer-Encoding: chunked\r\n",
                "Transfer-Encoding: gzip\r\n", "Expect: 100-continue\r\n", "Connection: close\r\n", "HTTP/9.9", "%",
                "%zz",
                "%00", "?", "#", "\u{FFFD}",
            ]
            for _ in 0..<Int.random(in: 1...4, using: &random) where !bytes.isEmpty {
                // Heads and sizes of chunks rather than their content.
                let limit = Bool.random(using: &random) ? min(bytes.count, 120) : bytes.count
                let place = Int.random(in: 0..<limit, using: &random)
                let end = min(bytes.count, place + Int.random(in: 0...12, using: &random))
                switch Int.random(in: 0..<5, using: &random) {
                case 0: bytes[place] = UInt8.random(in: 0 ... .max, using: &random)
                case 1: bytes.removeSubrange(place..<end)
                case 2: bytes.insert(contentsOf: bytes[place..<end], at: place)
                case 3: bytes.insert(contentsOf: pieces.randomElement(using: &random)!.utf8, at: place)
                default: bytes.replaceSubrange(place..<end, with: pieces.randomElement(using: &random)!.utf8)
                }
            }
        }
    }

    private static let echo = TestHandler(
        admission: { _ in .body(maximumBytes: 1000) },
        answering: { request in
            guard case .bytes(let body) = request.body else { return .now(.text("no bytes", status: 500)) }
            // The announced length is the received one, or the next request would start in this one's body.
            if let announced = request.head.bodyBytesAnnounced, announced != body.count {
                return .now(.text("announced \(announced), not \(body.count)", status: 500))
            }
            return .now(HTTPResponse(status: 200, headers: [("Content-Type", "x/y")], body: .bytes(body)))
        })

    /// The status line that garbage is answered with; empty where the server waits for more, or ended the connection.
    private static func answer(to bytes: [UInt8], of server: HTTPServer) async throws -> String {
        let connection = try RawConnection(port: server.port)
        defer { connection.close() }
        // The server may have ended the connection already.
        try? connection.send(bytes)
        do {
            return try await connection.read(through: "\r\n", within: .milliseconds(100))
        } catch RawConnection.Failure.deadline {
            return ""
        } catch RawConnection.Failure.ended {
            return ""
        }
    }

    /// With any input, no answer is a fault, nothing is left behind, and a good request is still answered.
    @Test(arguments: seeds) func theServerOutlivesGarbage(seed: UInt64) async throws {
        var random = SeededGenerator(seed: seed)
        try await withServer(Self.echo) { server in
            for _ in 0..<100 {
                var sent = Sent(&random)
                sent.spoil(&random)
                let answer = try await Self.answer(to: sent.bytes, of: server)
                #expect(answer.isEmpty || answer.hasPrefix("HTTP/1.1 "), "seed \(seed): \(sent.bytes)")
                #expect(!answer.hasPrefix("HTTP/1.1 500"), "seed \(seed): \(sent.bytes)")
            }
            try await eventually { server.counts.requests == 0 && server.counts.connections == 0 }
            let connection = try RawConnection(port: server.port)
            let good = Sent(&random)
            try connection.send(good.bytes)
            #expect(try await connection.response().body == good.body)
            try await eventually { server.bodyBytesReserved == 0 }
        }
    }

    /// Chunks of all sizes and forms, in pieces that end anywhere, are the body that they are of.
    @Test(arguments: seeds) func chunksAreTheBodyHoweverTheyArrive(seed: UInt64) async throws {
        var random = SeededGenerator(seed: seed)
        try await withServer(Self.echo) { server in
            let connection = try RawConnection(port: server.port)
            for _ in 0..<60 {
                let sent = Sent(&random)
                var rest = sent.bytes[...]
                while !rest.isEmpty {
                    let piece = rest.prefix(Int.random(in: 1...80, using: &random))
                    rest = rest.dropFirst(piece.count)
                    try connection.send(Array(piece))
                }
                #expect(try await connection.response().body == sent.body, "seed \(seed): \(sent.bytes)")
            }
        }
    }
}
