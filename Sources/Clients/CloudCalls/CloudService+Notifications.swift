package import CloudJSON
package import CloudModel
package import JSON

extension CloudService {
    /// Returns the notifications of a device after a change token; nil is the start of its feed.
    /// - Parameters:
    ///   - waitSeconds: the seconds for which the service may wait for the first notification.
    ///   - withPushPayloads: false leaves out the payloads of their pushes.
    package func notifications(
        of device: DeviceID, after token: String?, limit: Int, waitSeconds: Int = 0, withPushPayloads: Bool = true
    ) async throws -> NotificationPage {
        var body: JSONObject = [
            "deviceID": .string(device.rawValue), "resultsLimit": .integer(Int64(limit)),
            "waitSeconds": .integer(Int64(waitSeconds)), "shouldFetchPushPayload": .bool(withPushPayloads),
        ]
        if let token { body["serverChangeToken"] = .string(token) }
        let answer = try await self.device(
            "notifications/changes", .object(body), timeout: .seconds(waitSeconds + 30))
        return try read(answer) { json throws(CloudError) in
            NotificationPage(
                json: try json.required("notifications").elements().map(\.value),
                token: try json.required("serverChangeToken").string(),
                moreComing: try json["moreComing"]?.bool() ?? false)
        }
    }

    /// Opens the notification stream of a device after a change token; nil is the start of its feed.
    package func events(of device: DeviceID, after token: String?) async throws -> NotificationEvents {
        var query = ["deviceID": device.rawValue, "shouldFetchPushPayload": "false"]
        query["serverChangeToken"] = token
        return NotificationEvents(stream: try await stream("notifications/stream", query: query))
    }

    /// Decodes a notification from the service's JSON.
    package func received(_ json: JSONValue) throws -> ReceivedNotification { try read(json, NotificationJSON.read) }

    /// Marks notifications as read, as the given device.
    /// - Returns: the errors of the refused notifications, by notification ID.
    package func markRead(_ ids: [String], on device: DeviceID) async throws -> [String: FanfareError] {
        let answer = try await self.device(
            "notifications/markRead",
            ["deviceID": .string(device.rawValue), "notificationIDs": .array(ids.map { .string($0) })])
        var errors: [String: FanfareError] = [:]
        for item in answer["notifications"]?.array ?? [] {
            if let error = ErrorJSON.read(item) { errors[item["notificationID"]?.string ?? ""] = FanfareError(error) }
        }
        return errors
    }
}
