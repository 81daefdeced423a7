/// The type of a record, such as `Artwork`: a letter, then letters, digits and underscores.
package struct RecordType: Identifier {
    package let rawValue: String

    package init(_ rawValue: String) throws(CloudError) {
        // The one type of CloudKit's own whose name is no word.
        if rawValue != Self.share.rawValue { try NameRule.word(rawValue, kind: "recordType") }
        self.rawValue = rawValue
    }

    package init(trusted rawValue: String) { self.rawValue = rawValue }

    /// Records of this type are users: one for each, in the public database, made at the first sign-in.
    package static let users = RecordType(trusted: "Users")

    /// Records of this type share a zone or a hierarchy of records.
    package static let share = RecordType(trusted: "cloudkit.share")
}
