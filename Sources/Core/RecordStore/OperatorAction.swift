package import CloudModel

/// One act of an operator, as it is on record.
package struct OperatorAction: Hashable, Sendable {
    /// The outcome of an act that has happened.
    package static let done = "done"
    /// The outcome of an act of several steps, until it has happened.
    package static let begun = "begun"

    /// Counts acts of the store; 0 before it is on record.
    package var number: Int64 = 0
    package var time: Timestamp
    /// The operator's name.
    package var who: String
    package var role: String
    /// The name of the route, as in `users/block`.
    package var act: String
    /// The object of the act: the request's body as JSON, which has no secrets.
    package var subject: String
    /// The ID of the answer.
    package var request: String
    /// `done`, `begun`, or the code of the error that refused or ended it.
    package var outcome: String

    package init(
        time: Timestamp, who: String, role: String, act: String, subject: String, request: String, outcome: String
    ) {
        self.time = time
        self.who = who
        self.role = role
        self.act = act
        self.subject = subject
        self.request = request
        self.outcome = outcome
    }
}

/// Reads of the acts of operators.
package protocol OperatorActionReader {
    /// Acts before a number, the latest first.
    func operatorActions(before number: Int64, limit: Int) throws -> [OperatorAction]
}

/// Writes of the acts of operators.
package protocol OperatorActionTransaction: OperatorActionReader {
    /// Puts an act on record, and forgets those that are `Limits.operatorActionsKept` older.
    /// - Returns: its number.
    func add(_ action: OperatorAction) throws -> Int64

    /// Replaces the outcome of an act.
    func setOutcome(_ outcome: String, ofOperatorAction number: Int64) throws
}
