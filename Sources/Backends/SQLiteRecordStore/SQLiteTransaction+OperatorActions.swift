import CloudModel
import RecordStore
import SQLite

extension SQLiteTransaction {
    func operatorActions(before number: Int64, limit: Int) throws -> [OperatorAction] {
        try connection.query(
            """
            SELECT number, time, who, role, act, subject, request, outcome FROM operator_actions
            WHERE number < ? ORDER BY number DESC LIMIT ?
            """, .integer(number), .integer(Int64(limit))
        ) { row in
            var action = OperatorAction(
                time: Timestamp(milliseconds: row.integer(1)), who: row.text(2), role: row.text(3), act: row.text(4),
                subject: row.text(5), request: row.text(6), outcome: row.text(7))
            action.number = row.integer(0)
            return action
        }
    }

    func add(_ action: OperatorAction) throws -> Int64 {
        try connection.run(
            """
            INSERT INTO operator_actions (time, who, role, act, subject, request, outcome) VALUES (?, ?, ?, ?, ?, ?, ?)
            """,
            .integer(action.time.milliseconds), .text(action.who), .text(action.role), .text(action.act),
            .text(action.subject), .text(action.request), .text(action.outcome))
        let number = try connection.first("SELECT max(number) FROM operator_actions") { $0.integer(0) } ?? 0
        try connection.run(
            "DELETE FROM operator_actions WHERE number <= ?", .integer(number - Int64(Limits.operatorActionsKept)))
        return number
    }

    func setOutcome(_ outcome: String, ofOperatorAction number: Int64) throws {
        try connection.run(
            "UPDATE operator_actions SET outcome = ? WHERE number = ?", .text(outcome), .integer(number))
    }
}
