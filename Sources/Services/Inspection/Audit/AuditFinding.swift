package import CloudModel
package import JSON

/// One difference between the expected notifications and the delivered ones.
package struct AuditFinding: Hashable, Sendable {
    /// The kinds of differences.
    package enum Kind: String, Sendable, CaseIterable {
        /// It should be there, and is not.
        case lost
        /// It is there twice.
        case doubled
        /// It is at another position than expected.
        case outOfOrder = "out-of-order"
        /// It is there, and should not be.
        case phantom
        /// It is of a subscription's backfill and not marked so.
        case unmarked
        /// It is another user's.
        case foreign
        /// An entry is missing that is no notification.
        case gap
    }

    /// The kind.
    package var kind: Kind
    /// The owner of the journal.
    package var user: UserRecordName
    /// The change that the notification is about; nil where no one is to be named.
    package var change: CommitSequence?
    /// The database of the subscription.
    package var database: DatabaseScope?
    /// The ID of the subscription.
    package var subscription: SubscriptionID?
    /// The topic's name without the prefix.
    package var topic: String
    /// The offset where something stands that should not.
    package var offset: Int64?
    /// A text for people.
    package var detail: String

    /// One line for people.
    package var line: String {
        var words = ["\(kind.rawValue):"]
        if let change { words.append("change \(change)") }
        if let subscription { words.append("subscription '\(subscription)'") }
        words.append("of \(user)")
        words.append("in \(topic)" + (offset.map { " at \($0)" } ?? "") + ":")
        return (words + [detail]).joined(separator: " ")
    }

    /// The same for programs.
    package var json: JSONObject {
        var json: JSONObject = [
            "kind": .string(kind.rawValue), "userRecordName": .string(user.rawValue), "topic": .string(topic),
            "detail": .string(detail),
        ]
        if let change { json["change"] = .integer(change.rawValue) }
        if let database { json["database"] = .string("\(database)") }
        if let subscription { json["subscriptionID"] = .string(subscription.rawValue) }
        if let offset { json["offset"] = .integer(offset) }
        return json
    }
}
