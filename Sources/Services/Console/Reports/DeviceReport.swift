import CloudJSON
import CloudModel
import EventLog
package import Feeds
package import JSON
package import RecordStore
import WebAPI

/// Devices as operators see them: where each is in its feed, and how far behind.
package enum DeviceReport {
    /// A registered device.
    /// - Parameters:
    ///   - addresses: those that its notifications are pushed to.
    ///   - standing: of the token that it asked with last; nil for none.
    package static func json(
        _ stored: StoredDevice, _ addresses: [StoredPushAddress], _ standing: TokenStanding?
    ) -> JSONObject {
        var json = DeviceJSON.device(stored.device)
        json["userRecordName"] = .string(stored.device.user.rawValue)
        json["lastSeen"] = .integer(stored.lastSeen.milliseconds)
        if !addresses.isEmpty { json["push"] = .array(addresses.map(PushAddressJSON.address)) }
        if let standing { json["token"] = .object(self.json(standing)) }
        return json
    }

    /// The place of a token.
    package static func json(_ standing: TokenStanding) -> JSONObject {
        let identity = standing.identity
        var json: JSONObject = [
            "container": .string(identity.scope.container.rawValue),
            "environment": .string(identity.scope.environment.rawValue),
            "userRecordName": .string(identity.user.rawValue), "deviceID": .string(identity.device.rawValue),
            "epoch": .integer(identity.epoch.rawValue), "part": .string(standing.place.part.name),
            "offset": .integer(standing.place.position.offset),
        ]
        if !standing.place.log.isEmpty { json["log"] = .string(standing.place.log) }
        if let time = standing.place.time { json["time"] = .integer(time.milliseconds) }
        if let entries = standing.entriesBehind { json["entriesBehind"] = .integer(entries) }
        if let count = standing.notificationsBehind { json["notificationsBehind"] = .integer(Int64(count)) }
        if let refusal = standing.refusal {
            var error = JSONObject()
            ErrorJSON.add(refusal, to: &error)
            json["refusal"] = .object(error)
        }
        return json
    }
}
