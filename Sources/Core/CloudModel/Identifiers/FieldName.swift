/// The name of a record's field: a letter, then letters, digits and underscores; or one of CloudKit's names of a
/// share's fields.
package struct FieldName: Identifier {
    package let rawValue: String

    /// The title of a share.
    package static let shareTitle = FieldName(trusted: "cloudkit.title")

    /// CloudKit's fields of shares: title, picture and type (`CKShare.SystemFieldKey`).
    private static let ofShares: Set = ["cloudkit.title", "cloudkit.thumbnailImageData", "cloudkit.type"]

    package init(_ rawValue: String) throws(CloudError) {
        if !Self.ofShares.contains(rawValue) { try NameRule.word(rawValue, kind: "field name") }
        self.rawValue = rawValue
    }

    package init(trusted rawValue: String) { self.rawValue = rawValue }
}
