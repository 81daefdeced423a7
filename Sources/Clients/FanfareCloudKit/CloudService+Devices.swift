import CloudJSON
package import CloudModel
import JSON

extension CloudService {
    /// Registers a device of the user; harmless when it is registered.
    package func register(_ device: DeviceID, name: String, platform: String) async throws {
        _ = try await self.device(
            "devices/register",
            ["deviceID": .string(device.rawValue), "name": .string(name), "platform": .string(platform)])
    }

    /// Removes a device of the user, with its feed.
    package func unregister(_ device: DeviceID) async throws {
        _ = try await self.device("devices/unregister", ["deviceID": .string(device.rawValue)])
    }

    /// The badge of a device.
    package func badge(of device: DeviceID) async throws -> Int64 {
        let answer = try await get("device", "badge/current", query: ["deviceID": device.rawValue])
        return try read(answer) { json throws(CloudError) in try json.required("badgeValue").integer() }
    }

    /// Sets the badge of all of the user's devices, in the name of one of them.
    package func setBadge(_ value: Int64, on device: DeviceID) async throws {
        _ = try await self.device(
            "badge/modify", ["deviceID": .string(device.rawValue), "badgeValue": .integer(value)])
    }
}
