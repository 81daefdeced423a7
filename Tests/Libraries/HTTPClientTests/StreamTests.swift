import Foundation
import HTTPClient
import HTTPServer
import TestSupport
import Testing

/// Answers that are consumed as they come.
@Suite(.hangGuard)
struct StreamTests {
    /// Answers every request with the stream it hands to the test.
    static func withStream(
        bufferBytesMaximum: Int = 256 << 10, status: Int = 200,
        _ body: (HTTPClient, String, Event<HTTPResponseStream>, Event<HTTPStreamEnd>) async throws -> Void
    ) async throws {
        let opened = Event<HTTPResponseStream>()
        let ended = Event<HTTPStreamEnd>()
        try await withServer(answering: { _ in
            let stream = HTTPResponseStream(bufferBytesMaximum: bufferBytesMaximum)
            stream.onClose { ended.happen($0) }
            opened.happen(stream)
            return .now(
                HTTPResponse(status: status, headers: [("Content-Type", "text/event-stream")], body: .stream(stream)))
        }) { client, url, _ in try await body(client, url, opened, ended) }
    }

    @Test func headComesFirstAndBytesAsTheyAreWritten() async throws {
        try await Self.withStream(status: 404) { client, url, opened, _ in
            let stream = try await client.stream(HTTPClientRequest("GET", url))
            #expect(stream.status == 404)
            #expect(stream.headers["content-type"] == "text/event-stream")
            let writer = await opened.value
            var iterator = stream.makeAsyncIterator()
            for number in 0..<50 {
                writer.write(Array("piece \(number)".utf8))
                #expect(try await iterator.next() == Array("piece \(number)".utf8))
            }
            writer.finish()
            #expect(try await iterator.next() == nil)
            #expect(try await iterator.next() == nil)
        }
    }

    @Test(.disabled(if: LoadedLibrary.isEighth, "libcurl 8.5 reads on beside other clients"))
    func slowConsumerHoldsTheServerBackAndLosesNothing() async throws {
        // More than both ends' kernels buffer.
        let bytes = (0..<32).reduce(into: [UInt8]()) { $0 += [UInt8](repeating: $1, count: 1 << 20) }
        try await withServer(
            answering: { _ in .now(HTTPResponse(status: 200, body: .bytes(bytes))) }
        ) { client, url, server in
            let stream = try await client.stream(HTTPClientRequest("GET", url))
            // While nothing is consumed the server cannot finish, however long others take.
            for _ in 0..<20 { _ = try await client.send(HTTPClientRequest("HEAD", url)) }
            #expect(server.counts.requests >= 1)
            var received: [UInt8] = []
            for try await part in stream {
                #expect(part.count <= 256 << 10)
                received += part
            }
            #expect(Data(received) == Data(bytes))
        }
    }

    @Test func consumerThatIsCancelledEndsTheTransfer() async throws {
        try await Self.withStream { client, url, opened, ended in
            let begun = Event<Void>()
            let task = Task {
                for try await _ in try await client.stream(HTTPClientRequest("GET", url)) { begun.happen() }
            }
            await opened.value.write([1])
            await begun.value
            task.cancel()
            await #expect(throws: CancellationError.self) { try await task.value }
            #expect(await ended.value == .clientLeft)
        }
    }

    @Test func streamThatNobodyHoldsIsEnded() async throws {
        try await Self.withStream { client, url, _, ended in
            _ = try await client.stream(HTTPClientRequest("GET", url))
            #expect(await ended.value == .clientLeft)
        }
    }

    @Test func streamThatIsSilentForTooLongFails() async throws {
        try await Self.withStream { client, url, _, ended in
            var request = HTTPClientRequest("GET", url)
            request.silenceMaximum = .milliseconds(100)
            let stream = try await client.stream(request)
            await #expect { for try await _ in stream {} } throws: { ($0 as? HTTPClientError)?.kind == .timedOut }
            #expect(await ended.value == .clientLeft)
        }
    }

    @Test func answerWhoseHeadDoesNotComeFails() async throws {
        try await withServer(answering: { _ in
            .held { _ in
                await untilCancelled()
                return .text("late")
            }
        }) { client, url, _ in
            var request = HTTPClientRequest("GET", url)
            request.timeout = .milliseconds(50)
            await #expect { try await client.stream(request) } throws: {
                ($0 as? HTTPClientError)?.kind == .timedOut
            }
        }
    }

    @Test func connectionThatBreaksIsAnErrorAndNotAnEnd() async throws {
        let opened = Event<HTTPResponseStream>()
        let server = try await HTTPServer.start(
            HTTPServerConfiguration(),
            handler: Route(answering: { _ in
                let stream = HTTPResponseStream(bufferBytesMaximum: 10)
                opened.happen(stream)
                return .now(HTTPResponse(status: 200, body: .stream(stream)))
            }))
        let client = HTTPClient()
        let stream = try await client.stream(HTTPClientRequest("GET", "http://127.0.0.1:\(server.port)/"))
        let writer = await opened.value
        // More than it may buffer: the server cuts the connection.
        #expect(!writer.write([UInt8](repeating: 1, count: 11)))
        await #expect { for try await _ in stream {} } throws: {
            ($0 as? HTTPClientError)?.kind == .connectionLost
        }
        await client.close()
        await server.stop()
    }

    @Test func manyStreamsShareTheClient() async throws {
        try await withServer(answering: { request in
            let stream = HTTPResponseStream()
            stream.write(Array(request.path.utf8))
            stream.finish()
            return .now(HTTPResponse(status: 200, body: .stream(stream)))
        }) { client, url, _ in
            let answers = try await withThrowingTaskGroup(of: String.self) { group in
                for number in 0..<200 {
                    group.addTask {
                        var bytes: [UInt8] = []
                        for try await part in try await client.stream(HTTPClientRequest("GET", "\(url)/\(number)")) {
                            bytes += part
                        }
                        return String(decoding: bytes, as: UTF8.self)
                    }
                }
                return try await group.reduce(into: Set()) { $0.insert($1) }
            }
            #expect(answers == Set((0..<200).map { "/\($0)" }))
        }
    }

    @Test func closingTheClientEndsItsStreams() async throws {
        try await Self.withStream { client, url, _, ended in
            let stream = try await client.stream(HTTPClientRequest("GET", url))
            await client.close()
            await #expect { for try await _ in stream {} } throws: { ($0 as? HTTPClientError)?.kind == .closed }
            #expect(await ended.value == .clientLeft)
        }
    }
}
