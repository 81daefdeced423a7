import CloudModel
import DeviceClient
import JSON

/// Writes `notificationInfo` as `subscriptions/modify` takes it.
enum NotificationInfoEncoding {
    static func info(_ info: NotificationInfo) -> JSONValue {
        var json: JSONObject = [:]
        AppearanceJSON.add(info.appearance.map(\.rawValue), to: &json, flags: AppearanceJSON.subscriptionFlags)
        if !info.additionalFields.isEmpty {
            json["additionalFields"] = .array(info.additionalFields.map { .string($0.rawValue) })
        }
        json["shouldBadge"] = .bool(info.shouldBadge)
        return .object(json)
    }
}
