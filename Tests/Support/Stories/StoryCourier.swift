import FanfareCloudKit
package import HTTPClient
package import JSON

/// A web courier of a user: an address that hands out push payloads.
package struct StoryCourier: Sendable {
    /// A payload, and the answer that brought it.
    package struct Push: Sendable {
        package let json: JSONValue
        package let response: HTTPClientResponse
        /// The payload's length as it was sent.
        package var byteCount: Int { response.body.count }
    }

    /// The token in the URL.
    package let token: String
    private let url: String
    private let http: HTTPClient

    /// Makes a courier of a user, whose pushes begin now.
    /// - Parameter client: the `clientId` whose own changes are left out.
    package init(of user: StoryUser, client: String? = nil, in system: StorySystem) async throws {
        var body: JSONObject = ["apnsEnvironment": "development"]
        if let client { body["clientId"] = .string(client) }
        let answer = try await user.client.device("tokens/create", .object(body))
        guard let token = answer["apnsToken"]?.string, let url = answer["webcourierURL"]?.string else {
            throw StorySystem.Failed("no web courier: \(answer)")
        }
        self.token = token
        self.url = url
        http = system.http
    }

    /// Asks until a payload comes, as Apple's JS does; each question waits for the service to hand one out.
    package func next() async throws -> Push {
        try await answer("a push") {
            let response = try await http.send(HTTPClientRequest("GET", url))
            let text = String(decoding: response.body, as: UTF8.self)
            // As clients do: the last change is not delivered yet, or there was no notification for a while.
            if response.status == 503, text.contains("TRY_AGAIN_LATER") { return nil }
            guard response.status == 200 else { throw StorySystem.Failed("\(response.status): \(text)") }
            guard !response.body.isEmpty else { return nil }
            return Push(json: try JSONValue(parsing: response.body), response: response)
        }
    }
}
