/// A reference to a record of the same database; two references are equal when they name the same record.
package struct Reference: Hashable, Sendable {
    /// The effect of the target's deletion on the record that refers to it, and whether the target must exist.
    package enum Action: Int32, Sendable {
        case none = 0
        case deleteSelf = 1
        case validate = 2
    }

    /// The record that is referred to.
    package var recordName: RecordName
    /// The target's zone; nil means the zone of the record that holds the reference.
    package var zone: ZoneID?
    /// The demand on the target.
    package var action: Action

    package init(recordName: RecordName, zone: ZoneID? = nil, action: Action) {
        self.recordName = recordName
        self.zone = zone
        self.action = action
    }
}

extension Reference.Action: CustomStringConvertible {
    /// CloudKit's name of the action.
    package var description: String {
        switch self {
        case .none: "NONE"
        case .deleteSelf: "DELETE_SELF"
        case .validate: "VALIDATE"
        }
    }

    /// Reads CloudKit's name of an action.
    package init?(name: String) {
        switch name {
        case "NONE": self = .none
        case "DELETE_SELF": self = .deleteSelf
        case "VALIDATE": self = .validate
        default: return nil
        }
    }
}
