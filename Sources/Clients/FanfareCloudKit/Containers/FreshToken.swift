import Synchronization

/// The latest web auth token of a sign-in: each answer may bring another one.
final class FreshToken: Sendable {
    private let value = Mutex<String?>(nil)

    var token: String? { value.withLock { $0 } }

    func set(_ token: String) { value.withLock { $0 = token } }

    func reset() { value.withLock { $0 = nil } }

    /// Forgets the token, unless there is another one already.
    func forget(_ token: String?) -> Bool {
        value.withLock { value in
            guard value == nil || value == token else { return false }
            value = nil
            return true
        }
    }
}

/// Carries the requests of a sign-in: takes fresh tokens from answers, and the time that the caller gives a request.
struct SessionTransport: FanfareTransport {
    let transport: any FanfareTransport
    let fresh: FreshToken

    func send(_ request: FanfareRequest) async throws -> FanfareResponse {
        var request = request
        if let seconds = CallSettings.requestSeconds {
            request.timeout = min(request.timeout, .seconds(seconds))
        }
        let response = try await transport.send(request)
        // An answer that came late must not bring an earlier sign-in back.
        if response.status == 200, let token = Self.token(response), fresh.token != nil { fresh.set(token) }
        return response
    }

    func stream(_ request: FanfareRequest) async throws -> FanfareStream { try await transport.stream(request) }

    private static func token(_ response: FanfareResponse) -> String? {
        let name = "x-apple-cloudkit-web-auth-token"
        return response.headers.first { $0.name.lowercased() == name && !$0.value.isEmpty }?.value
    }
}
