import CloudJSON
package import CloudModel
import JSON
import TextForms

extension CloudService {
    /// Registers a device of the user. Registering it again changes nothing.
    package func register(_ device: DeviceID, name: String, platform: String) async throws {
        _ = try await self.device(
            "devices/register",
            ["deviceID": .string(device.rawValue), "name": .string(name), "platform": .string(platform)])
    }

    /// Removes a device of the user and its feed.
    package func unregister(_ device: DeviceID) async throws {
        _ = try await self.device("devices/unregister", ["deviceID": .string(device.rawValue)])
    }

    /// Registers the token of APNs of an app on a device of the user, in place of the former one.
    package func register(
        token: [UInt8], environment: APNSEnvironment, topic: String?, of device: DeviceID
    ) async throws {
        var body: JSONObject = [
            "apnsToken": .string(Hexadecimal.encode(token)), "apnsEnvironment": .string(environment.rawValue),
            "clientId": .string(device.rawValue),
        ]
        if let topic { body["apnsTopic"] = .string(topic) }
        _ = try await self.device("tokens/register", .object(body))
    }

    /// Removes the token of APNs of a device of the user, if it has one.
    package func removeToken(of device: DeviceID) async throws {
        _ = try await self.device(
            "devices/push/remove", ["deviceID": .string(device.rawValue), "kind": .string(CourierKind.apns.rawValue)])
    }

    /// The badge of a device.
    package func badge(of device: DeviceID) async throws -> Int64 {
        let answer = try await get("device", "badge/current", query: ["deviceID": device.rawValue])
        return try read(answer) { json throws(CloudError) in try json.required("badgeValue").integer() }
    }

    /// The delivery policies that the user chose for a device.
    package func policies(of device: DeviceID) async throws -> DevicePolicies {
        let answer = try await get("device", "devices/policies", query: ["deviceID": device.rawValue])
        return try read(answer) { json throws(CloudError) in try DeliveryPolicyJSON.readPolicies(json) }
    }

    /// Sets the delivery policies of a device, in place of those before.
    package func setPolicies(_ policies: DevicePolicies, of device: DeviceID) async throws {
        var body = DeliveryPolicyJSON.policies(policies)
        body["deviceID"] = .string(device.rawValue)
        _ = try await self.device("devices/policies", .object(body))
    }

    /// Sets the badge of all of the user's devices, as the given device.
    package func setBadge(_ value: Int64, on device: DeviceID) async throws {
        _ = try await self.device(
            "badge/modify", ["deviceID": .string(device.rawValue), "badgeValue": .integer(value)])
    }
}
