package import EventLog
package import JSON
package import Stages

/// The progress of a stage in one partition, as operators see it: of this process, or of another one by the log.
package struct StageLine: Sendable {
    /// The seconds that the first entry which is not done has waited at each step; nil where they are unknown.
    package struct Waits: Hashable, Sendable {
        /// From the commit to the entry among the changes.
        package var outbox: Double?
        /// From there to the entry among the deliveries, or to now.
        package var stage1: Double?
        /// From there to now.
        package var stage2: Double?
        /// From the entry in the journal to now.
        package var stage3: Double?
        /// From the entry among the pushes to now.
        package var push: Double?
    }

    package var stage: StageProgress.Name
    package var partition: TopicPartition
    /// The progress that this process has; nil where the stage runs elsewhere, or nowhere.
    package var own: StageProgress.Status?
    /// The first offset that is not done; nil before the first commit.
    package var next: Int64?
    package var end: Int64?
    package var waits: Waits?

    /// Entries that are not done.
    package var entriesBehind: Int64 {
        if let own { return own.progress.entriesBehind }
        guard let next, let end else { return 0 }
        return max(0, end - next)
    }

    /// The time that the first entry which is not done waits since it was appended; nil where it was not read.
    package var secondsBehind: Double? {
        if let own { return own.behind / .seconds(1) }
        guard entriesBehind > 0 else { return 0 }
        switch stage {
        case .match: return waits?.stage1
        case .deliver: return waits?.stage2
        case .feeds: return waits?.stage3
        default: return waits?.push
        }
    }

    /// The line for programs.
    package func json(scope: String) -> JSONValue {
        guard let own else { return .object(logged(scope)) }
        var json = StageReport.one(own)
        json["process"] = "here"
        add(waits, to: &json)
        return .object(json)
    }

    private func logged(_ scope: String) -> JSONObject {
        var json: JSONObject = [
            "stage": .string(stage.rawValue), "scope": .string(scope),
            "topic": .string(partition.topic.rawValue), "partition": .integer(Int64(partition.partition)),
            "condition": entriesBehind > 0 ? "working" : "idle", "entriesBehind": .integer(entriesBehind),
            "process": "elsewhere",
        ]
        if let secondsBehind { json["secondsBehind"] = .double(secondsBehind) }
        if let next { json["next"] = .integer(next) }
        if let end { json["end"] = .integer(end) }
        add(waits, to: &json)
        return json
    }

    private func add(_ waits: Waits?, to json: inout JSONObject) {
        guard let waits else { return }
        let known = [
            ("outbox", waits.outbox), ("stage1", waits.stage1), ("stage2", waits.stage2), ("stage3", waits.stage3),
            ("push", waits.push),
        ]
        var members = JSONObject()
        for (name, seconds) in known { if let seconds { members[name] = .double(seconds) } }
        json["waits"] = .object(members)
        // The longest one is the place to look at.
        let longest = known.max { $0.1 ?? -1 < $1.1 ?? -1 }
        if let longest, longest.1 ?? 0 > 0 { json["cause"] = .string(longest.0) }
    }
}
