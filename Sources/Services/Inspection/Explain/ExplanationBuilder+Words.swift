import CloudMessages
import CloudModel
import Matching

/// Parts of sentences about changes and subscriptions.
extension ExplanationBuilder {
    static func text(_ change: Change) -> String {
        let what: String
        if let record = change.matched {
            what =
                "\(record.type.rawValue) \(PredicateTrace.quoted(record.name.rawValue)) in \(PredicateTrace.quoted(record.zone.name.rawValue))"
        } else {
            what = "the zone \(PredicateTrace.quoted(change.affectedZone?.name.rawValue ?? ""))"
        }
        let kind =
            switch change.kind {
            case .created: "created"
            case .updated: "updated"
            case .deleted: "deleted"
            }
        let device = change.origin.device.map { " on \($0)" } ?? ""
        return "\(change.committed.iso8601): \(what) \(kind) by \(change.origin.user)\(device)"
    }

    static func mayRead(_ user: UserRecordName, _ change: Change) -> Bool {
        switch change.database {
        case .public:
            change.reader == .world || change.reader == .icloud
                || change.reader == .creator && change.matched?.created.user == user
        case .private: change.affectedZone?.owner == user
        case .shared: change.participants.contains(user)
        }
    }

    static func readers(of change: Change) -> String {
        switch change.database {
        case .public: "readers of the record: \(change.reader.map { "\($0)" } ?? "nobody")"
        case .private: "reader: \(change.affectedZone?.owner.rawValue ?? "-")"
        case .shared: "readers: \(change.participants.map(\.rawValue).joined(separator: ", "))"
        }
    }

    static func watched(by condition: Subscription.Condition) -> String {
        var words = condition.recordType.map { [$0.rawValue] } ?? ["every type"]
        if let zone = condition.zone { words.append("in \(PredicateTrace.quoted(zone.rawValue))") }
        if condition.kind == .database { words.append("in custom zones") }
        let events: [(FiringEvents, String)] = [
            (.create, "create"), (.update, "update"), (.delete, "delete"), (.enter, "enter"), (.leave, "leave"),
        ]
        let names = events.filter { condition.firesOn.contains($0.0) }.map(\.1)
        if condition.kind == .query { words.append("on \(names.joined(separator: ", "))") }
        if !condition.changedKeys.isEmpty {
            words.append("if \(condition.changedKeys.map(\.rawValue).joined(separator: " or ")) changed")
        }
        if condition.firesOnce { words.append("once") }
        return words.joined(separator: " ")
    }
}
