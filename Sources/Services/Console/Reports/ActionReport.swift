import CloudModel
package import JSON
package import RecordStore

/// Acts of operators, on pages and by commands.
package enum ActionReport {
    /// An act with its outcome.
    package static func json(_ action: OperatorAction) -> JSONObject {
        [
            "number": .integer(action.number), "time": .integer(action.time.milliseconds),
            "operator": .string(action.who), "role": .string(action.role), "act": .string(action.act),
            "subject": .string(action.subject), "request": .string(action.request),
            "outcome": .string(action.outcome),
        ]
    }
}
