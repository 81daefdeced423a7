import CloudModel
import Console
import Identity
import JSON
import RecordStore
import Settings

/// Lists and removes the ways by which notifications are brought to devices.
extension Command {
    static let pushList = Command(
        name: "push list", usage: "push list --data DIR [--container NAME] [--environment NAME] [--json]",
        summary: "lists the addresses of pushes and the web couriers of all users' devices, and the last answers",
        settings: administrating
    ) { reading in
        try await StoreCommand.run(reading) { served in
            let couriers = DeviceCouriers(served.records)
            var last = ""
            while true {
                let users = try await served.identity.listUsers(after: last, limit: usersOfPage)
                for user in users {
                    for courier in try await couriers.list(of: user.profile.name) {
                        Output.line(try line(courier, isJSON: reading.configuration.printing.isJSON))
                    }
                }
                guard users.count == usersOfPage, let next = users.last else { return ExitCode.done }
                last = next.profile.name.rawValue
            }
        }
    }

    static let pushRemove = Command(
        name: "push remove",
        usage: "push remove DEVICEID --kind KIND --data DIR [--container NAME] [--environment NAME] [--json]",
        summary: "removes a device's address of a kind (apns, webPush, webhook), or a web courier (webcourier)",
        settings: administrating + [.removingCouriers], takesWords: true
    ) { reading in
        let operand = try StoreCommand.operand(reading, "one device, as push list shows it")
        let kind = reading.configuration.removingCouriers.kind
        return try await StoreCommand.run(reading) { served in
            let json = try await DeviceCouriers(served.records).remove(kind, from: try DeviceID(operand))
            Output.line(
                reading.configuration.printing.isJSON
                    ? String(decoding: try JSONValue.object(json).serialized(), as: UTF8.self)
                    : "\(kind) of \(operand) removed")
            return ExitCode.done
        }
    }

    private static let usersOfPage = 1000

    private static func line(_ courier: JSONObject, isJSON: Bool) throws -> String {
        guard !isJSON else { return String(decoding: try JSONValue.object(courier).serialized(), as: UTF8.self) }
        var words = ["kind", "userRecordName", "deviceID"].compactMap { courier[$0]?.string }
        if let last = courier["last"], let time = last["time"]?.integer, let outcome = last["outcome"]?.string {
            words.append("\(outcome) \(Timestamp(milliseconds: time).iso8601)")
            if let status = last["status"]?.integer { words.append("\(status)") }
            if let reason = last["reason"]?.string { words.append(reason) }
        }
        return words.joined(separator: "  ")
    }
}

extension Configuration {
    /// `push remove`.
    struct RemovingCouriers: Sendable {
        var kind = ""
    }
}

extension SettingGroup {
    static let courierRemovalSettings: [Setting<Configuration>] = [
        Setting("kind", \.removingCouriers.kind, "apns, webPush, webhook or webcourier")
    ]
}
