/// The name of a record's field: a letter, then letters, digits and underscores.
package struct FieldName: Identifier {
    package let rawValue: String

    package init(_ rawValue: String) throws(CloudError) {
        try NameRule.word(rawValue, kind: "field name")
        self.rawValue = rawValue
    }

    package init(trusted rawValue: String) { self.rawValue = rawValue }
}
