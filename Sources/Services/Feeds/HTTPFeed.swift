package import CloudModel
package import JSON

/// Reads a device's feed over HTTP.
package struct HTTPFeed: Sendable {
    private let client: CloudClient
    private let device: DeviceID

    /// The feed of a device that the client's user has registered.
    package init(_ client: CloudClient, device: DeviceID) {
        self.client = client
        self.device = device
    }

    /// One answer.
    package struct Page: Sendable {
        /// The notifications as the service wrote them, oldest first.
        package var notifications: [JSONValue]
        /// The change token to ask with for what comes after them.
        package var token: String
        /// Whether there is more already.
        package var moreComing: Bool
    }

    /// Registers the device; harmless when it is.
    package func register(name: String, platform: String) async throws {
        _ = try await client.device(
            "devices/register",
            ["deviceID": .string(device.rawValue), "name": .string(name), "platform": .string(platform)])
    }

    /// What came after a token; nil is the start.
    /// - Parameter waitSeconds: how long the service may hold its answer until something comes.
    package func page(after token: String?, limit: Int, waitSeconds: Int = 0) async throws -> Page {
        var body: JSONObject = [
            "deviceID": .string(device.rawValue), "resultsLimit": .integer(Int64(limit)),
            "waitSeconds": .integer(Int64(waitSeconds)),
        ]
        if let token { body["serverChangeToken"] = .string(token) }
        let answer = try await client.device(
            "notifications/changes", .object(body), timeout: .seconds(waitSeconds + 30))
        guard let notifications = answer["notifications"]?.array, let token = answer["serverChangeToken"]?.string else {
            throw CloudClientError(status: 200, code: nil, reason: "the answer is no page of notifications")
        }
        return Page(
            notifications: notifications, token: token, moreComing: answer["moreComing"]?.bool ?? false)
    }
}
