package import CloudModel
package import JSON
package import RecordService
import RecordStore

/// The ways by which notifications are brought to users' devices, as operators list and remove them.
package struct DeviceCouriers: Sendable {
    /// The kind of web couriers in lists.
    private static let webCourier = "webcourier"

    private let records: RecordService

    package init(_ records: RecordService) { self.records = records }

    /// The addresses and web couriers of a user's devices.
    package func list(of user: UserRecordName) async throws -> [JSONObject] {
        try await records.store.read { reader in
            let addresses = try reader.pushAddresses(of: user).map { Self.json($0, of: user) }
            return try addresses + reader.couriers(of: user).map { Self.json($0, of: user) }
        }
    }

    /// Removes the address of a kind from a device; a web courier goes with its device.
    /// - Throws: `BAD_REQUEST` for an unknown kind, `NOT_FOUND` where the device has none of it.
    package func remove(_ kind: String, from device: DeviceID) async throws -> JSONObject {
        let user = try await take(kind, from: device)
        return [
            "kind": .string(kind), "deviceID": .string(device.rawValue), "userRecordName": .string(user.rawValue),
            "done": "remove",
        ]
    }

    private func take(_ name: String, from device: DeviceID) async throws -> UserRecordName {
        if name == Self.webCourier {
            let stored = try await records.store.read { reader in
                try reader.courier(device) == nil ? nil : try reader.device(device)
            }
            guard let stored else { throw CloudError(.notFound, "the device '\(device)' is no web courier") }
            try await records.unregisterDevice(device, for: Caller(user: stored.device.user))
            return stored.device.user
        }
        return try await records.removePush(try Self.kind(name), on: device)
    }

    /// The kind of addresses that a name stands for.
    /// - Throws: `BAD_REQUEST`.
    package static func kind(_ name: String) throws(CloudError) -> CourierKind {
        guard let kind = CourierKind.addressed.first(where: { $0.rawValue == name }) else {
            let known = CourierKind.addressed.map(\.rawValue).joined(separator: ", ")
            throw .badRequest("kind is \(known) or \(webCourier), not '\(name.prefix(80))'")
        }
        return kind
    }

    private static func json(_ address: StoredPushAddress, of user: UserRecordName) -> JSONObject {
        var json: JSONObject = [
            "kind": .string(address.kind.rawValue), "userRecordName": .string(user.rawValue),
            "deviceID": .string(address.device.rawValue), "created": .integer(address.registered.milliseconds),
            "contents": .string(address.contents.rawValue),
        ]
        if let time = address.lastSuccess {
            json["lastSuccess"] = .integer(time.milliseconds)
            json["last"] = .object(
                answer(["time": .integer(time.milliseconds), "outcome": "sent"], address.lastSuccessStatus))
        }
        if let failure = address.lastFailure {
            var last: JSONObject = answer(
                ["time": .integer(failure.time.milliseconds), "reason": .string(failure.reason)], failure.status)
            json["lastFailure"] = .object(last)
            if address.lastSuccess.map({ $0 < failure.time }) ?? true {
                last["outcome"] = "failed"
                json["last"] = .object(last)
            }
        }
        return json
    }

    private static func answer(_ json: JSONObject, _ status: Int?) -> JSONObject {
        var json = json
        if let status { json["status"] = .integer(Int64(status)) }
        return json
    }

    private static func json(_ courier: StoredCourier, of user: UserRecordName) -> JSONObject {
        [
            "kind": .string(webCourier), "userRecordName": .string(user.rawValue),
            "deviceID": .string(courier.device.rawValue), "expires": .integer(courier.expires.milliseconds),
        ]
    }
}
