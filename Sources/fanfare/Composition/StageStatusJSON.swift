import EventLog
import JSON
import Stages

/// The progress of a process's stages, in the form of its internal port.
enum StageStatusJSON {
    /// All partitions, an object each.
    static func all(_ statuses: [StageProgress.Status]) -> JSONValue {
        ["stages": .array(statuses.map(one))]
    }

    private static func one(_ status: StageProgress.Status) -> JSONValue {
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
        return .object(json)
    }
}
