import HTTPServer

/// A handler of closures. Refusals are worded `refused: <case>` with their own status.
struct TestHandler: HTTPHandler {
    var admission: @Sendable (HTTPRequestHead) -> HTTPAdmission = { _ in .body(maximumBytes: 1 << 20) }
    var answering: @Sendable (HTTPRequest) -> HTTPAnswer = { _ in .now(.text("hello")) }

    func admit(_ head: HTTPRequestHead) -> HTTPAdmission { admission(head) }
    func answer(_ request: HTTPRequest) -> HTTPAnswer { answering(request) }

    func refusal(_ refusal: HTTPRefusal) -> HTTPResponse {
        let name = String("\(refusal)".prefix { $0 != "(" })
        return HTTPResponse(
            status: refusal.status, headers: [("Content-Type", "text/plain"), ("X-Refusal", name)],
            body: .bytes(Array("refused: \(name)".utf8)))
    }
}

extension HTTPResponse {
    static func text(_ text: String, status: Int = 200) -> HTTPResponse {
        HTTPResponse(status: status, headers: [("Content-Type", "text/plain")], body: .bytes(Array(text.utf8)))
    }
}

/// Starts a server, runs a test against it and stops it, also when the test fails.
func withServer(
    _ handler: TestHandler = TestHandler(), _ configure: (inout HTTPServerConfiguration) -> Void = { _ in },
    grace: Duration = .seconds(5), _ body: (HTTPServer) async throws -> Void
) async throws {
    var configuration = HTTPServerConfiguration()
    configuration.connectionsMaximum = 1000
    configure(&configuration)
    let server = try await HTTPServer.start(configuration, handler: handler)
    do {
        try await body(server)
    } catch {
        await server.stop(grace: .zero)
        throw error
    }
    await server.stop(grace: grace)
}

/// A handler that answers each request with what `describe` says of it.
func echo(_ describe: @escaping @Sendable (HTTPRequest) -> String) -> TestHandler {
    TestHandler(answering: { .now(.text(describe($0))) })
}
