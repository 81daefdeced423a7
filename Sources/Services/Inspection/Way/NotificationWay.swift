package import CloudModel
package import JSON

/// The way of a notification: one step an entry of the log, with the times that the log has.
package struct NotificationWay: Sendable {
    /// One step of the way.
    package struct Step: Sendable {
        /// The kinds of steps, in their order.
        package enum Kind: String, Sendable {
            /// The store committed the change.
            case commit
            /// The relay appended it to `changes.*`.
            case outbox
            /// Stage 1 appended the hit to `deliveries`.
            case matched
            /// Stage 2 appended the notification to the user's journal.
            case journal
            /// A device has it in its feed, which is the journal without what it did itself.
            case feed
            /// The device asked for later notifications.
            case fetched
            /// The user marked it as read.
            case read
            /// A push was asked for, and what happened to it.
            case push
        }

        package var kind: Kind
        package var outcome: Explanation.Outcome
        /// A sentence for people; nothing is decided by it.
        package var text: String
        /// The time of the append, of the commit, or of what happened to a push; nil where it is unknown.
        package var time: Timestamp?
        package var place: ExplainedPlace?
        /// Further members for programs.
        package var facts = JSONObject()
    }

    package let change: CommitSequence
    package let user: UserRecordName
    package internal(set) var database: DatabaseScope?
    /// The subscription whose notification it is; nil where none is known to have fired.
    package internal(set) var subscription: SubscriptionID?
    /// All subscriptions of the user that notified of the change, as far as they were met.
    package internal(set) var subscriptions: [String] = []
    package internal(set) var recordName: RecordName?
    package internal(set) var recordType: RecordType?
    /// True for a change before the subscription's creation.
    package internal(set) var isBackfilled = false
    package internal(set) var steps: [Step] = []

    init(_ change: CommitSequence, _ user: UserRecordName) {
        self.change = change
        self.user = user
    }

    mutating func step(
        _ kind: Step.Kind, _ outcome: Explanation.Outcome, _ text: String, at time: Timestamp? = nil,
        _ place: ExplainedPlace? = nil, facts: JSONObject = JSONObject()
    ) {
        steps.append(
            Step(kind: kind, outcome: outcome, text: text, time: time ?? place?.time, place: place, facts: facts))
    }

    /// Lines for people, with the time since the commit.
    package var lines: [String] {
        let first = steps.first?.time
        return steps.map { step in
            let since = step.time.flatMap { time in first.map { "+\(time.milliseconds - $0.milliseconds) ms" } } ?? ""
            let name = step.kind.rawValue.padding(to: 8)
            let place = step.place.map { " (\($0.topic)/\($0.partition) at \($0.offset))" } ?? ""
            return "\(step.outcome.sign) \(name) \(since.padding(to: 12)) \(step.text)\(place)"
        }
    }

    /// The way for programs; places are flat members of a step.
    package var json: JSONObject {
        var json: JSONObject = [
            "change": .integer(change.rawValue), "userRecordName": .string(user.rawValue),
            "subscriptions": .array(subscriptions.map { .string($0) }), "steps": .array(steps.map(\.json)),
        ]
        if let database { json["database"] = .string("\(database)") }
        if let subscription { json["subscriptionID"] = .string(subscription.rawValue) }
        if let recordName { json["recordName"] = .string(recordName.rawValue) }
        if let recordType { json["recordType"] = .string(recordType.rawValue) }
        if isBackfilled { json["isBackfilled"] = true }
        return json
    }
}

extension NotificationWay.Step {
    fileprivate var json: JSONValue {
        var json = facts
        json["step"] = .string(kind.rawValue)
        json["outcome"] = .string(outcome.rawValue)
        json["text"] = .string(text)
        if let time { json["time"] = .integer(time.milliseconds) }
        if let place {
            json["topic"] = .string(place.topic)
            json["partition"] = .integer(Int64(place.partition))
            json["offset"] = .integer(place.offset)
        }
        return .object(json)
    }
}

extension String {
    /// The text with spaces up to a width.
    fileprivate func padding(to width: Int) -> String { self + String(repeating: " ", count: max(0, width - count)) }
}
