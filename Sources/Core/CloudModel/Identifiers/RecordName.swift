/// The name of a record within its zone: 1 to 255 printable ASCII characters, not starting with `_`
/// (names with a leading underscore are the system's: users are records too).
package struct RecordName: Identifier {
    package let rawValue: String

    package init(_ rawValue: String) throws(CloudError) {
        try NameRule.printableASCII(rawValue, kind: "recordName")
        guard rawValue.utf8.first != UInt8(ascii: "_") else {
            throw .badRequest("recordName '\(rawValue)' must not start with '_': such names are reserved")
        }
        self.rawValue = rawValue
    }

    package init(trusted rawValue: String) { self.rawValue = rawValue }

    /// The record that shares a whole zone.
    package static let zoneShare = RecordName(trusted: "cloudkit.zoneshare")
}
