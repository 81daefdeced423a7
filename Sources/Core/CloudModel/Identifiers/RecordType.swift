/// The type of a record, such as `Artwork`: a letter, then letters, digits and underscores.
package struct RecordType: Identifier {
    package let rawValue: String

    package init(_ rawValue: String) throws(CloudError) {
        try NameRule.word(rawValue, kind: "recordType")
        self.rawValue = rawValue
    }

    package init(trusted rawValue: String) { self.rawValue = rawValue }
}
