import CloudModel
package import JSON
package import RecordStore

/// Writes addresses of pushes.
package enum PushAddressJSON {
    /// An address as `devices/list` shows it: what became of its pushes, and nothing of the address itself.
    package static func address(_ stored: StoredPushAddress) -> JSONValue {
        var json: JSONObject = [
            "kind": .string(stored.kind.rawValue), "contents": .string(stored.contents.rawValue),
            "registered": .integer(stored.registered.milliseconds),
        ]
        if let time = stored.lastSuccess { json["lastSuccess"] = .integer(time.milliseconds) }
        if let failure = stored.lastFailure {
            json["lastFailure"] = ["time": .integer(failure.time.milliseconds), "reason": .string(failure.reason)]
        }
        return .object(json)
    }
}
