package import CloudModel
import EventLog
package import JSON

/// The entry of the log that a step rests on.
package struct ExplainedPlace: Hashable, Sendable {
    /// The topic without the container's prefix.
    package var topic: String
    package var partition: Int32
    package var offset: Int64
    /// The time at which the entry was appended, as the log has it; nil where it was not read.
    package var time: Timestamp?

    var json: JSONValue {
        var json: JSONObject = [
            "topic": .string(topic), "partition": .integer(Int64(partition)), "offset": .integer(offset),
        ]
        if let time { json["time"] = .integer(time.milliseconds) }
        return .object(json)
    }
}

extension Explanation {
    /// The way of the notification through the topics: the commit, then the entries that were made of it, in the order of
    /// the delivery path. It ends where the notification did.
    package var way: [JSONValue] {
        var way: [JSONValue] = []
        func add(_ stage: String, _ step: Step, _ time: Timestamp?) {
            var json: JSONObject = ["stage": .string(stage)]
            if let time { json["time"] = .integer(time.milliseconds) }
            if let place = step.place { json["place"] = place.json }
            for (key, value) in step.deviceFacts { json[key] = value }
            way.append(.object(json))
        }
        for step in steps where step.outcome == .yes {
            switch step.kind {
            case .change:
                if let committed = step.time {
                    way.append(["stage": "committed", "time": .integer(committed.milliseconds)])
                }
                add("changes", step, step.place?.time)
            case .hit: add("deliveries", step, step.place?.time)
            case .journal: add("journal", step, step.place?.time)
            case .device where step.place != nil: add("feed", step, step.place?.time)
            case .handed, .sent, .collapsed, .dropped:
                var json = step.facts
                json["stage"] = .string(step.kind.rawValue)
                way.append(.object(json))
            default: break
            }
        }
        return way
    }
}
