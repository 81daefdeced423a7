package import CloudModel
package import JSON

/// Registered devices as JSON.
package enum DeviceJSON {
    /// Writes a device; its user is the caller.
    package static func device(_ device: Device) -> JSONObject {
        [
            "deviceID": .string(device.id.rawValue), "epoch": .integer(device.epoch.rawValue),
            "name": .string(device.name), "platform": .string(device.platform),
            "registered": .integer(device.registered.milliseconds),
        ]
    }

    /// Reads a device of a user.
    package static func read(_ json: JSONPath, of user: UserRecordName) throws(CloudError) -> Device {
        Device(
            id: try json.object().required("deviceID").identifier(), user: user,
            epoch: DeviceEpoch(try json.required("epoch").integer()), name: try json.required("name").string(),
            platform: try json.required("platform").string(),
            registered: Timestamp(milliseconds: try json.required("registered").integer()))
    }
}
