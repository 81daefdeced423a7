/// The subject of a filter: a field of the record's own, a system field, or all searchable texts of the record.
package enum FilterField: Hashable, Sendable, CustomStringConvertible {
    case field(FieldName)
    case system(SystemField)
    /// `self`: all fields with a SEARCHABLE index; only words are looked for in them.
    case searchableTexts

    package var description: String {
        switch self {
        case .field(let name): name.rawValue
        case .system(let field): field.description
        case .searchableTexts: "self"
        }
    }
}
