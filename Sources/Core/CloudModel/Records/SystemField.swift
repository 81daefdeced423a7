/// A field that every record has and the server sets (docs/cloudkit.md#dictionaries, `systemFieldName`).
package enum SystemField: Int32, Sendable, CaseIterable, CustomStringConvertible {
    case recordName = 1
    case createdTimestamp = 2
    case createdUserRecordName = 3
    case modifiedTimestamp = 4
    case modifiedUserRecordName = 5

    /// The name as requests carry it.
    package var description: String {
        switch self {
        case .recordName: "recordName"
        case .createdTimestamp: "createdTimestamp"
        case .createdUserRecordName: "createdUserRecordName"
        case .modifiedTimestamp: "modifiedTimestamp"
        case .modifiedUserRecordName: "modifiedUserRecordName"
        }
    }

    /// The type of the field's values; users are compared by record name.
    package var type: FieldType {
        switch self {
        case .recordName, .createdUserRecordName, .modifiedUserRecordName: .string
        case .createdTimestamp, .modifiedTimestamp: .timestamp
        }
    }

    /// Reads the name, also in its stored spelling (`___createTime` and its like).
    package init?(name: String) {
        switch name {
        case "recordName", "___recordID", "___recordId": self = .recordName
        case "createdTimestamp", "___createTime": self = .createdTimestamp
        case "createdUserRecordName", "___createdBy": self = .createdUserRecordName
        case "modifiedTimestamp", "___modTime": self = .modifiedTimestamp
        case "modifiedUserRecordName", "___modifiedBy": self = .modifiedUserRecordName
        default: return nil
        }
    }
}
