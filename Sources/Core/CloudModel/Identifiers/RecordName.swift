/// The name of a record within its zone: 1 to 255 printable ASCII characters, not starting with `_`, or the name of a
/// user, as users are records too. All other names with a leading underscore are reserved.
package struct RecordName: Identifier {
    package let rawValue: String

    package init(_ rawValue: String) throws(CloudError) {
        try NameRule.printableASCII(rawValue, kind: "recordName")
        guard rawValue.utf8.first != UInt8(ascii: "_") || UserRecordName.isUser(rawValue) else {
            throw .badRequest("recordName '\(rawValue)' must not start with '_': such names are reserved")
        }
        self.rawValue = rawValue
    }

    package init(trusted rawValue: String) { self.rawValue = rawValue }

    /// The record of a user, in the public database.
    package init(of user: UserRecordName) { rawValue = user.rawValue }

    /// The user whose record has this name; nil for names of other records.
    package var user: UserRecordName? {
        UserRecordName.isUser(rawValue) ? UserRecordName(trusted: rawValue) : nil
    }

    /// The record that shares a whole zone.
    package static let zoneShare = RecordName(trusted: "cloudkit.zoneshare")
}
