import CloudJSON
package import CloudModel
package import JSON

/// Speaks CloudKit Web Services and the device endpoints of one container, in the nouns of `CloudModel`: the one place
/// where requests are written and answers read. `CKContainer` and `CKDatabase` are its public face.
package struct CloudService: Sendable {
    /// The service's address, without a slash at the end.
    package let url: String
    /// The container and environment that it talks to.
    package let scope: ContainerEnvironment
    private let apiToken: String
    let transport: any FanfareTransport
    /// The sign-in of the user that requests are made for; nil for nobody.
    package internal(set) var webAuthToken: String?
    /// The `clientId` of all requests.
    package var clientID: String?

    /// A client of a service.
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

    /// Calls an endpoint of a database, such as `records/modify`, with a body as it is.
    package func database(
        _ database: DatabaseScope, _ endpoint: String, _ body: JSONValue
    ) async throws -> JSONValue {
        try await post("database/1/\(path)/\(database)/\(endpoint)", body)
    }

    /// Calls a device endpoint, such as `devices/register`, with a body as it is.
    package func device(
        _ endpoint: String, _ body: JSONValue, timeout: Duration = .seconds(60)
    ) async throws -> JSONValue {
        try await post("device/1/\(path)/\(endpoint)", body, timeout: timeout)
    }

    /// Asks an endpoint that answers GET, such as `public/subscriptions/list` of the family `database`.
    package func get(
        _ family: String, _ endpoint: String, query: [String: String] = [:]
    ) async throws -> JSONValue {
        try await answer(FanfareRequest(url: address("\(family)/1/\(path)/\(endpoint)", query)))
    }

    // MARK: Requests

    func post(_ path: String, _ body: JSONValue, timeout: Duration = .seconds(60)) async throws -> JSONValue {
        try await answer(
            FanfareRequest(method: "POST", url: address(path), body: try body.serialized(), timeout: timeout))
    }

    /// Opens a stream of a device endpoint.
    func stream(_ endpoint: String, query: [String: String]) async throws -> FanfareStream {
        let stream = try await transport.stream(
            FanfareRequest(url: address("device/1/\(path)/\(endpoint)", query)))
        guard stream.status == 200 else {
            var body: [UInt8] = []
            for try await bytes in stream { body += bytes }
            throw FanfareError(status: stream.status, body: body)
        }
        return stream
    }

    /// Reads an answer; one that is none of the service's is an error without a code.
    func read<Value>(
        _ answer: JSONValue, _ read: (JSONPath) throws(CloudError) -> Value
    ) throws(FanfareError) -> Value {
        do {
            return try read(JSONPath(answer))
        } catch {
            throw FanfareError(status: 200, code: nil, reason: "the answer cannot be read: \(error.reason)")
        }
    }

    var path: String { "\(scope.container)/\(scope.environment)" }

    /// The address of the pages of shares, without the short GUID.
    var shares: String { "\(url)/share/1/\(path)" }

    func answer(_ request: FanfareRequest) async throws -> JSONValue {
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
            + items.map { "\(Self.escaped($0.key))=\(Self.escaped($0.value))" }.joined(separator: "&")
    }

    /// Percent-encodes everything but RFC 3986's unreserved characters.
    private static func escaped(_ text: String) -> String {
        let digits = Array("0123456789ABCDEF".utf8)
        var result: [UInt8] = []
        for byte in text.utf8 {
            switch byte {
            case UInt8(ascii: "a")...UInt8(ascii: "z"), UInt8(ascii: "A")...UInt8(ascii: "Z"),
                UInt8(ascii: "0")...UInt8(ascii: "9"), UInt8(ascii: "-"), UInt8(ascii: "."), UInt8(ascii: "_"),
                UInt8(ascii: "~"):
                result.append(byte)
            default: result += [UInt8(ascii: "%"), digits[Int(byte >> 4)], digits[Int(byte & 15)]]
            }
        }
        return String(decoding: result, as: UTF8.self)
    }
}
