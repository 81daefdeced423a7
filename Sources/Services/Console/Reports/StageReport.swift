import EventLog
package import JSON
package import Stages

/// The progress of a process's stages, as operators and the internal port see it.
package enum StageReport {
    /// All partitions, an object each.
    package static func all(_ statuses: [StageProgress.Status]) -> JSONValue {
        ["stages": .array(statuses.map { .object(one($0)) })]
    }

    /// One partition.
    package static func one(_ status: StageProgress.Status) -> JSONObject {
        var json: JSONObject = [
            "stage": .string(status.stage.rawValue), "scope": .string(status.scope),
            "topic": .string(status.partition.topic.rawValue), "partition": .integer(Int64(status.partition.partition)),
            "condition": .string(status.condition.rawValue), "entriesBehind": .integer(status.progress.entriesBehind),
            "secondsBehind": .double(status.behind / .seconds(1)),
        ]
        if let next = status.progress.next { json["next"] = .integer(next) }
        if let end = status.progress.end { json["end"] = .integer(end) }
        if let failure = status.progress.failure {
            json["failure"] = [
                "reason": .string(failure.reason), "lasting": .bool(failure.isLasting),
                "count": .integer(Int64(failure.count)),
            ]
        }
        return json
    }
}
