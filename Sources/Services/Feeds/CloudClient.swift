package import CloudModel
package import HTTPClient
package import JSON

/// Speaks CloudKit Web Services and the device endpoints, as an app does.
package struct CloudClient: Sendable {
    /// The service's address, without a slash at the end.
    package let url: String
    /// The container and environment that it talks to.
    package let scope: ContainerEnvironment
    private let apiToken: String
    private let http: HTTPClient
    /// Whom the client acts for; nil for nobody.
    package private(set) var webAuthToken: String?
    /// The `clientId` of all requests.
    package var clientID: String?

    /// A client of a service.
    package init(
        url: String, scope: ContainerEnvironment, apiToken: String, webAuthToken: String? = nil,
        clientID: String? = nil, http: HTTPClient
    ) {
        self.url = url.hasSuffix("/") ? String(url.dropLast()) : url
        self.scope = scope
        self.apiToken = apiToken
        self.webAuthToken = webAuthToken
        self.clientID = clientID
        self.http = http
    }

    /// A client that acts for a user of the sign-in for development.
    package func signedIn(as user: String) async throws -> (client: CloudClient, user: UserRecordName) {
        try await signedIn(with: ["user": .string(user)])
    }

    /// A client that acts for the user of an ID token.
    package func signedIn(idToken: String) async throws -> (client: CloudClient, user: UserRecordName) {
        try await signedIn(with: ["idToken": .string(idToken)])
    }

    private func signedIn(with body: JSONValue) async throws -> (client: CloudClient, user: UserRecordName) {
        let answer = try await send("POST", "auth/1/\(path)/signin", body: body)
        guard let token = answer["ckWebAuthToken"]?.string, let name = answer["userRecordName"]?.string else {
            throw CloudClientError(status: 200, code: nil, reason: "the answer to the sign-in has no token")
        }
        var client = self
        client.webAuthToken = token
        return (client, UserRecordName(trusted: name))
    }

    /// Calls an endpoint of a database, such as `records/modify`.
    package func database(
        _ database: DatabaseScope, _ endpoint: String, _ body: JSONValue
    ) async throws -> JSONValue {
        try await send("POST", "database/1/\(path)/\(database)/\(endpoint)", body: body)
    }

    /// Calls a device endpoint, such as `devices/register`.
    package func device(
        _ endpoint: String, _ body: JSONValue, timeout: Duration = .seconds(60)
    ) async throws -> JSONValue {
        try await send("POST", "device/1/\(path)/\(endpoint)", body: body, timeout: timeout)
    }

    /// Asks an endpoint that answers GET, such as `public/subscriptions/list` of the family `database`.
    package func get(
        _ family: String, _ endpoint: String, query: [String: String] = [:]
    ) async throws -> JSONValue {
        let items = query.sorted { $0.key < $1.key }.map { "\(Self.escaped($0.key))=\(Self.escaped($0.value))" }
        let response = try await http.send(
            HTTPClientRequest("GET", address("\(family)/1/\(path)/\(endpoint)", items)))
        guard response.status == 200 else { throw CloudClientError(status: response.status, body: response.body) }
        return try JSONValue(parsing: response.body)
    }

    /// Opens the stream of a device's notifications.
    package func stream(device: DeviceID, after token: String?) async throws -> HTTPClientStream {
        var query = ["deviceID=\(Self.escaped(device.rawValue))"]
        if let token { query.append("serverChangeToken=\(Self.escaped(token))") }
        let request = HTTPClientRequest("GET", address("device/1/\(path)/notifications/stream", query))
        let stream = try await http.stream(request)
        guard stream.status == 200 else {
            var body: [UInt8] = []
            for try await bytes in stream { body += bytes }
            throw CloudClientError(status: stream.status, body: body)
        }
        return stream
    }

    private var path: String { "\(scope.container)/\(scope.environment)" }

    private func address(_ path: String, _ query: [String] = []) -> String {
        var items = query + ["ckAPIToken=\(Self.escaped(apiToken))"]
        if let webAuthToken { items.append("ckWebAuthToken=\(Self.escaped(webAuthToken))") }
        if let clientID { items.append("clientId=\(Self.escaped(clientID))") }
        return "\(url)/\(path)?\(items.joined(separator: "&"))"
    }

    private func send(
        _ method: String, _ path: String, body: JSONValue, timeout: Duration = .seconds(60)
    ) async throws -> JSONValue {
        var request = HTTPClientRequest(method, address(path), body: .bytes(try body.serialized()))
        request.timeout = timeout
        let response = try await http.send(request)
        guard response.status == 200 else { throw CloudClientError(status: response.status, body: response.body) }
        return try JSONValue(parsing: response.body)
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
