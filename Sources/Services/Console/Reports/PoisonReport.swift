import CloudModel
package import JSON
package import Poison

/// Entries that are set aside, as operators see them.
package enum PoisonReport {
    /// An entry.
    package static func json(_ place: PoisonPlace, _ item: PoisonTable.Item) -> JSONObject {
        var json: JSONObject = [
            "entry": .string("\(place)"), "stage": .string(place.stage.rawValue), "topic": .string(place.topic),
            "partition": .integer(Int64(place.partition)), "offset": .integer(place.offset),
            "deaths": .integer(Int64(item.deaths)), "reason": .string(reason(item)),
            "last": .integer(item.last.milliseconds),
        ]
        if let retried = item.retried { json["retried"] = .integer(retried.milliseconds) }
        return json
    }

    /// The reason why it is set aside.
    package static func reason(_ item: PoisonTable.Item) -> String {
        item.unreadable.map { "cannot be read: \($0)" } ?? "\(item.deaths) processes died at it"
    }

    /// The result of a retry, for people.
    package static func text(_ outcome: PoisonLedger.Retry) -> String {
        switch outcome {
        case .appended: "appended once more"
        case .earlier: "was tried again before"
        case .unknown: "is not set aside"
        case .gone: "retention has removed it"
        case .unreadable(let reason): "this version cannot read it either: \(reason)"
        case .impossible(let reason): "cannot be tried again: \(reason)"
        }
    }

    /// Indicates whether the entry is at its topic's end again.
    package static func isDone(_ outcome: PoisonLedger.Retry) -> Bool { outcome == .appended || outcome == .earlier }
}
