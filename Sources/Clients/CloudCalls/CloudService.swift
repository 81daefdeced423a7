package import CloudJSON
package import CloudModel
package import JSON
import TextForms

/// The client of CloudKit Web Services and of the device endpoints of one container, in the types of `CloudModel`. All
/// requests are encoded and all answers decoded here, or in extensions of `FanfareCloudKit`, the public API above it.
package struct CloudService: Sendable {
    /// The service's address, without a slash at the end.
    package let url: String
    /// The container and environment of all requests.
    package let scope: ContainerEnvironment
    private let apiToken: String
    package let transport: any FanfareTransport
    /// The token of the signed-in user; nil if nobody is signed in.
    package var webAuthToken: String?
    /// The `clientId` of all requests.
    package var clientID: String?

    /// Creates a client of a service.
    package init(
        url: String, scope: ContainerEnvironment, apiToken: String, webAuthToken: String? = nil,
        clientID: String? = nil, transport: any FanfareTransport
    ) {
        self.url = url.hasSuffix("/") ? String(url.dropLast()) : url
        self.scope = scope
        self.apiToken = apiToken
        self.webAuthToken = webAuthToken
        self.clientID = clientID
        self.transport = transport
    }

    // MARK: Endpoints by name

    /// Calls an endpoint of a database, such as `records/modify`, with a JSON body.
    package func database(
        _ database: DatabaseScope, _ endpoint: String, _ body: JSONValue
    ) async throws -> JSONValue {
        try await post("database/1/\(path)/\(database)/\(endpoint)", body)
    }

    /// Calls a device endpoint, such as `devices/register`, with a JSON body.
    package func device(
        _ endpoint: String, _ body: JSONValue, timeout: Duration = .seconds(60)
    ) async throws -> JSONValue {
        try await post("device/1/\(path)/\(endpoint)", body, timeout: timeout)
    }

    /// Calls an endpoint with GET, such as `public/subscriptions/list` of the family `database`.
    package func get(
        _ family: String, _ endpoint: String, query: [String: String] = [:]
    ) async throws -> JSONValue {
        try await answer(FanfareRequest(url: address("\(family)/1/\(path)/\(endpoint)", query)))
    }

    // MARK: Requests

    /// Calls an endpoint by its path with a JSON body.
    /// - Throws: `FanfareError` for another status than 200; the transport's errors.
    package func post(_ path: String, _ body: JSONValue, timeout: Duration = .seconds(60)) async throws -> JSONValue {
        try await answer(
            FanfareRequest(method: "POST", url: address(path), body: try body.serialized(), timeout: timeout))
    }

    /// Opens a stream of a device endpoint.
    package func stream(_ endpoint: String, query: [String: String]) async throws -> FanfareStream {
        let stream = try await transport.stream(
            FanfareRequest(url: address("device/1/\(path)/\(endpoint)", query)))
        guard stream.status == 200 else {
            var body: [UInt8] = []
            for try await bytes in stream { body += bytes }
            throw FanfareError(status: stream.status, body: body)
        }
        return stream
    }

    /// Decodes an answer. An answer in another format is a `FanfareError` without a code.
    package func read<Value>(
        _ answer: JSONValue, _ read: (JSONPath) throws(CloudError) -> Value
    ) throws(FanfareError) -> Value {
        do {
            return try read(JSONPath(answer))
        } catch {
            throw FanfareError(status: 200, code: nil, reason: "the answer cannot be read: \(error.reason)")
        }
    }

    /// The container and the environment in paths.
    package var path: String { "\(scope.container)/\(scope.environment)" }

    /// The URL of the web pages of shares, without the short GUID.
    package var shares: String { "\(url)/share/1/\(path)" }

    /// Sends a request and parses its answer.
    /// - Throws: `FanfareError` for another status than 200; the transport's errors.
    package func answer(_ request: FanfareRequest) async throws -> JSONValue {
        let response = try await transport.send(request)
        guard response.status == 200 else { throw FanfareError(status: response.status, body: response.body) }
        return try JSONValue(parsing: response.body)
    }

    private func address(_ path: String, _ query: [String: String] = [:]) -> String {
        var items = query.sorted { $0.key < $1.key }
        items.append(("ckAPIToken", apiToken))
        if let webAuthToken { items.append(("ckWebAuthToken", webAuthToken)) }
        if let clientID { items.append(("clientId", clientID)) }
        return "\(url)/\(path)?"
            + items.map { "\(PercentEncoding.encode($0.key))=\(PercentEncoding.encode($0.value))" }.joined(
                separator: "&")
    }
}
