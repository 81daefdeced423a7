import HTTPClient
import HTTPServer
import Synchronization

/// A handler of one closure.
struct Route: HTTPHandler {
    var answering: @Sendable (HTTPRequest) -> HTTPAnswer

    func admit(_ head: HTTPRequestHead) -> HTTPAdmission { .body(maximumBytes: 16 << 20) }
    func answer(_ request: HTTPRequest) -> HTTPAnswer { answering(request) }
    func refusal(_ refusal: HTTPRefusal) -> HTTPResponse {
        HTTPResponse(status: refusal.status, body: .bytes(Array(refusal.message.utf8)))
    }
}

extension HTTPResponse {
    static func text(_ text: String, headers: [(String, String)] = []) -> HTTPResponse {
        HTTPResponse(status: 200, headers: headers, body: .bytes(Array(text.utf8)))
    }
}

extension HTTPClientResponse {
    var text: String { String(decoding: body, as: UTF8.self) }
}

/// Runs a test with a client and the URL of a server that answers as `answering` says.
func withServer(
    _ configure: (inout HTTPServerConfiguration) -> Void = { _ in },
    _ configureClient: (inout HTTPClientConfiguration) -> Void = { _ in },
    answering: @escaping @Sendable (HTTPRequest) -> HTTPAnswer,
    _ body: (HTTPClient, String, HTTPServer) async throws -> Void
) async throws {
    var configuration = HTTPServerConfiguration()
    configure(&configuration)
    var clientConfiguration = HTTPClientConfiguration()
    configureClient(&clientConfiguration)
    let server = try await HTTPServer.start(configuration, handler: Route(answering: answering))
    let client = HTTPClient(clientConfiguration)
    let result: Result<Void, any Error>
    do {
        try await body(client, "http://127.0.0.1:\(server.port)", server)
        result = .success(())
    } catch {
        result = .failure(error)
    }
    await client.close()
    await server.stop(grace: .seconds(2))
    try result.get()
}

/// Something that happens once, to be awaited.
final class Event<Value: Sendable>: Sendable {
    private enum State {
        case nothing
        case awaited(CheckedContinuation<Value, Never>)
        case happened(Value)
    }

    private let state = Mutex(State.nothing)

    /// Only the first counts.
    func happen(_ value: Value) {
        let waiter = state.withLock { state -> CheckedContinuation<Value, Never>? in
            switch state {
            case .nothing:
                state = .happened(value)
                return nil
            case .awaited(let continuation):
                state = .happened(value)
                return continuation
            case .happened: return nil
            }
        }
        waiter?.resume(returning: value)
    }

    var value: Value {
        get async {
            await withCheckedContinuation { continuation in
                let value: Value? = state.withLock { state in
                    if case .happened(let value) = state { return value }
                    state = .awaited(continuation)
                    return nil
                }
                if let value { continuation.resume(returning: value) }
            }
        }
    }
}

extension Event<Void> {
    func happen() { happen(()) }
}

/// Work that never ends by itself.
func untilCancelled() async {
    let cancelled = Event<Void>()
    await withTaskCancellationHandler {
        await cancelled.value
    } onCancel: {
        cancelled.happen()
    }
}
