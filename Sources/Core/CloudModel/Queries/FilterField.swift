/// What a filter looks at: a field of the record's own or a system field.
package enum FilterField: Hashable, Sendable, CustomStringConvertible {
    case field(FieldName)
    case system(SystemField)

    package var description: String {
        switch self {
        case .field(let name): name.rawValue
        case .system(let field): field.description
        }
    }
}
