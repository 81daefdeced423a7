import Foundation
import HTTPClient
import HTTPServer
import TestSupport
import Testing

/// Requests whose answer is collected.
@Suite(.hangGuard)
struct SendTests {
    @Test(arguments: [
        ("GET", 0), ("DELETE", 0), ("POST", 0), ("PUT", 0), ("PATCH", 3), ("POST", 3), ("DELETE", 3),
        ("POST", 3_000_000),
    ])
    func requestArrivesAsItWasMade(method: String, count: Int) async throws {
        try await withServer(answering: { request in
            let headers = ["x-one", "x-empty", "expect", "content-type", "content-length", "user-agent"].map {
                request.headers[$0] ?? "none"
            }
            let text = "\(request.method) \(request.target) \(request.body.count) \(headers)"
            return .now(.text(text, headers: [("X-Answer", "a"), ("x-answer", "b")]))
        }) { client, url, _ in
            let request = HTTPClientRequest(
                method, "\(url)/a%2Fb/../c?x=1", headers: [("X-One", "1"), ("X-Empty", "")],
                body: count == 0 ? .empty : .bytes([UInt8](repeating: 120, count: count)))
            let response = try await client.send(request)
            #expect(response.status == 200)
            let length = count > 0 || ["POST", "PUT"].contains(method) ? "\(count)" : "none"
            let headers = ["1", "", "none", "none", length, "HTTPClient"]
            #expect(response.text == "\(method) /a%2Fb/../c?x=1 \(count) \(headers)")
            #expect(response.headers["X-ANSWER"] == "a")
            #expect(response.headers.values("x-Answer") == ["a", "b"])
        }
    }

    @Test func headHasNoBody() async throws {
        try await withServer(answering: { _ in .now(.text("hello")) }) { client, url, _ in
            let response = try await client.send(HTTPClientRequest("HEAD", url))
            #expect(response.headers["content-length"] == "5")
            #expect(response.body.isEmpty)
            #expect(try await client.send(HTTPClientRequest("GET", url)).text == "hello")
        }
    }

    @Test func bodyOfAFileArrives() async throws {
        let path = FileManager.default.temporaryDirectory.appendingPathComponent("HTTPClientTests-\(UUID())").path
        let content = Data((0..<200_000).map { UInt8(truncatingIfNeeded: $0) })
        try content.write(to: URL(fileURLWithPath: path))
        defer { try? FileManager.default.removeItem(atPath: path) }
        try await withServer(answering: { request in
            guard case .bytes(let bytes) = request.body else { return .now(.text("")) }
            return .now(HTTPResponse(status: 200, body: .bytes(bytes)))
        }) { client, url, _ in
            let response = try await client.send(HTTPClientRequest("PUT", url, body: .file(path: path)))
            #expect(Data(response.body) == content)
            await #expect {
                try await client.send(HTTPClientRequest("PUT", url, body: .file(path: "/nowhere/file")))
            } throws: { error in
                (error as? HTTPClientError)?.kind == .invalidRequest && "\(error)".contains("/nowhere/file")
            }
        }
    }

    @Test func connectionIsUsedAgain() async throws {
        try await withServer(answering: { _ in .now(.text("hello")) }) { client, url, server in
            for _ in 0..<20 { _ = try await client.send(HTTPClientRequest("GET", url)) }
            #expect(server.counts.connections == 1)
        }
    }

    /// The server closes idle connections; the next request must not fail for it.
    @Test func connectionThatTheServerClosedIsReplaced() async throws {
        let handler = Route(answering: { .now(.text("\($0.body.count)")) })
        let first = try await HTTPServer.start(HTTPServerConfiguration(), handler: handler)
        let client = HTTPClient()
        let request = HTTPClientRequest("POST", "http://127.0.0.1:\(first.port)/", body: .bytes([1, 2, 3]))
        #expect(try await client.send(request).text == "3")
        await first.stop()
        var configuration = HTTPServerConfiguration()
        configuration.port = first.port
        let second = try await HTTPServer.start(configuration, handler: handler)
        #expect(try await client.send(request).text == "3")
        await client.close()
        await second.stop()
    }

    @Test func manyRequestsAtOnceAllGetTheirOwnAnswer() async throws {
        try await withServer(answering: { request in
            let text = request.path
            return .later { .text(text) }
        }) { client, url, _ in
            let answers = try await withThrowingTaskGroup(of: (Int, String).self) { group in
                for number in 0..<300 {
                    group.addTask { (number, try await client.send(HTTPClientRequest("GET", "\(url)/\(number)")).text) }
                }
                return try await group.reduce(into: [Int: String]()) { $0[$1.0] = $1.1 }
            }
            #expect(answers == Dictionary(uniqueKeysWithValues: (0..<300).map { ($0, "/\($0)") }))
        }
    }

    @Test func redirectionIsAnAnswerUnlessItIsFollowed() async throws {
        try await withServer(answering: { request in
            if request.path == "/end" { return .now(.text("end")) }
            if request.path == "/file" {
                return .now(HTTPResponse(status: 302, headers: [("Location", "file:///etc/hostname")]))
            }
            let next = request.path == "/loop" ? "/loop" : "/end"
            return .now(HTTPResponse(status: 302, headers: [("Location", next)]))
        }) { client, url, _ in
            var request = HTTPClientRequest("GET", "\(url)/start")
            let answer = try await client.send(request)
            #expect(answer.status == 302)
            request.redirectsMaximum = 2
            let followed = try await client.send(request)
            #expect(followed.text == "end")
            for path in ["loop", "file"] {
                request.url = "\(url)/\(path)"
                await #expect(throws: HTTPClientError.self) { try await client.send(request) }
            }
        }
    }

    @Test(arguments: [true, false]) func answerOverTheLimitIsAnError(isAnnounced: Bool) async throws {
        try await withServer(answering: { _ in
            if isAnnounced { return .now(.text(String(repeating: "x", count: 1001))) }
            let stream = HTTPResponseStream()
            stream.write([UInt8](repeating: 120, count: 1001))
            stream.finish()
            return .now(HTTPResponse(status: 200, body: .stream(stream)))
        }) { client, url, _ in
            var request = HTTPClientRequest("GET", url)
            request.responseBytesMaximum = 1001
            let whole = try await client.send(request)
            #expect(whole.body.count == 1001)
            request.responseBytesMaximum = 1000
            await #expect { try await client.send(request) } throws: {
                ($0 as? HTTPClientError)?.kind == .responseTooLarge && ($0 as? HTTPClientError)?.retry == .never
            }
        }
    }

    @Test func requestThatTakesTooLongFails() async throws {
        try await withServer(answering: { _ in
            .held { _ in
                await untilCancelled()
                return .text("late")
            }
        }) { client, url, server in
            var request = HTTPClientRequest("GET", "\(url)/path?token=secret")
            request.timeout = .milliseconds(500)
            await #expect { try await client.send(request) } throws: { error in
                guard let error = error as? HTTPClientError else { return false }
                return error.kind == .timedOut && error.retry == .ifIdempotent
                    && "\(error)".hasPrefix("GET \(url)/path: ")
            }
        }
    }

    @Test func cancellationAbortsTheTransfer() async throws {
        let arrived = Event<Void>()
        let cancelled = Event<Void>()
        try await withServer(answering: { _ in
            .held { _ in
                arrived.happen()
                await untilCancelled()
                cancelled.happen()
                return .text("late")
            }
        }) { client, url, _ in
            let task = Task { try await client.send(HTTPClientRequest("GET", url)) }
            await arrived.value
            task.cancel()
            await #expect(throws: CancellationError.self) { try await task.value }
            // The server sees the connection end.
            await cancelled.value
        }
    }

    @Test func requestOfACancelledTaskIsNotSent() async throws {
        let client = HTTPClient()
        let task = Task {
            withUnsafeCurrentTask { $0?.cancel() }
            return try await client.send(HTTPClientRequest("GET", "http://127.0.0.1:9/"))
        }
        await #expect(throws: CancellationError.self) { try await task.value }
        await client.close()
    }

    @Test func closingEndsCurrentAndLaterRequests() async throws {
        let arrived = Event<Void>()
        try await withServer(answering: { _ in
            .held { _ in
                arrived.happen()
                await untilCancelled()
                return .text("late")
            }
        }) { client, url, _ in
            let task = Task { try await client.send(HTTPClientRequest("GET", url)) }
            await arrived.value
            await client.close()
            await #expect { try await task.value } throws: { ($0 as? HTTPClientError)?.kind == .closed }
            await #expect { try await client.send(HTTPClientRequest("GET", url)) } throws: {
                ($0 as? HTTPClientError)?.kind == .closed
            }
            await client.close()
        }
    }

    @Test(arguments: [
        ("http://127.0.0.1:1/a?b=secret", HTTPClientError.Kind.connection, HTTPClientError.Retry.always),
        ("http://no-such-host.invalid/a?b=secret", .resolution, .always),
        ("ftp://127.0.0.1/a?b=secret", .invalidRequest, .never),
        ("127.0.0.1/a?b=secret", .invalidRequest, .never),
        ("http://user:secret@127.0.0.1:1/a#secret", .connection, .always),
        ("http://127.0.0.1:99999/a", .invalidRequest, .never),
        ("http://127.0.0.1/a b", .invalidRequest, .never),
    ])
    func errorsHaveARemedyAndNoSecrets(
        url: String, kind: HTTPClientError.Kind, retry: HTTPClientError.Retry
    ) async throws {
        let client = HTTPClient()
        await #expect { try await client.send(HTTPClientRequest("GET", url)) } throws: { error in
            guard let error = error as? HTTPClientError else { return false }
            return error.kind == kind && error.retry == retry && !"\(error)".contains("secret")
        }
        await client.close()
    }

    @Test(arguments: [("X", "a\r\nY: b"), ("X\r\nY", "b"), ("", "b"), ("X:", "b"), ("X", "a\0")])
    func headerThatWouldWriteAnotherIsRefused(name: String, value: String) async throws {
        let client = HTTPClient()
        let request = HTTPClientRequest("GET", "http://127.0.0.1:1/", headers: [(name, value)])
        await #expect { try await client.send(request) } throws: {
            ($0 as? HTTPClientError)?.kind == .invalidRequest
        }
        await client.close()
    }
}
