import CloudModel
import JSON

/// One audit that an operator started.
struct AuditRun: Sendable {
    /// The state of an audit.
    enum State: String, Sendable {
        case running, done, stopped, failed
        /// The process ended while it ran.
        case lost
    }

    let id: String
    /// The container and environment.
    let scope: String
    /// The name of the operator.
    let startedBy: String
    let started: Timestamp
    let from: Timestamp?
    let to: Timestamp?
    let devices: [String]
    var state = State.running
    var ended: Timestamp?
    /// The share of the work that is done, 0 to 1.
    var progress = 0.0
    /// The last line of `fanfare audit --json`; nil before its end.
    var result: JSONValue?
    /// The reason of a failure.
    var reason: String?
    /// The first differences.
    var findings: [JSONObject] = []
    /// The number of differences that are not among these.
    var findingsLeftOut = 0

    init(_ request: AuditRequest, id: String, by name: String, at time: Timestamp) {
        self.id = id
        scope = "\(request.scope)"
        startedBy = name
        started = time
        (from, to) = (request.from, request.to)
        devices = request.devices.map(\.rawValue)
    }

    mutating func note(_ finding: JSONObject) {
        guard findings.count < Limits.auditFindingsKept else {
            findingsLeftOut += 1
            return
        }
        findings.append(finding)
    }

    // MARK: JSON

    /// The audit as operators see it.
    var json: JSONObject {
        var json: JSONObject = [
            "auditID": .string(id), "state": .string(state.rawValue), "started": .integer(started.milliseconds),
            "operator": .string(startedBy),
        ]
        if let ended { json["ended"] = .integer(ended.milliseconds) }
        if state == .running { json["progress"] = .double(progress) }
        if let result { json["result"] = result }
        if let reason { json["reason"] = .string(reason) }
        if let from { json["from"] = .string(from.iso8601) }
        if let to { json["to"] = .string(to.iso8601) }
        if !devices.isEmpty { json["devices"] = .array(devices.map { .string($0) }) }
        return json
    }

    /// The audit as a file keeps it: without its findings.
    var kept: JSONObject {
        var json = json
        json["scope"] = .string(scope)
        json["differences"] = .integer(Int64(findings.count + findingsLeftOut))
        return json
    }

    /// Reads what `kept` wrote before the process began; nil for anything else. An audit that ran is lost.
    init?(kept json: JSONValue) {
        guard let id = json["auditID"]?.string, let state = json["state"]?.string.flatMap(State.init),
            let started = json["started"]?.integer, let name = json["operator"]?.string,
            let scope = json["scope"]?.string
        else { return nil }
        (self.id, self.scope, startedBy) = (id, scope, name)
        self.started = Timestamp(milliseconds: started)
        from = json["from"]?.string.flatMap { Timestamp(iso8601: $0) }
        to = json["to"]?.string.flatMap { Timestamp(iso8601: $0) }
        devices = json["devices"]?.array?.compactMap(\.string) ?? []
        self.state = state == .running ? .lost : state
        ended = json["ended"]?.integer.map { Timestamp(milliseconds: $0) }
        result = json["result"]
        reason = state == .running ? "the process ended while the audit ran; start another one" : json["reason"]?.string
        // Findings are in memory alone.
        findingsLeftOut = Int(clamping: json["differences"]?.integer ?? 0)
    }
}
