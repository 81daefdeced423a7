/// The name of a part of a schema, as `Artwork` for all of a record type or `Artwork.title` for one of its fields.
package enum SchemaPartName: Hashable, Sendable {
    /// A type with its fields, indexes and rights, and with the conditions of subscriptions on it.
    case type(RecordType)
    case field(RecordType, FieldName)

    /// Reads a name.
    /// - Throws: `BAD_REQUEST` for what can be none.
    package init(_ text: String) throws(CloudError) {
        // The name of the one type of CloudKit's own has a dot.
        guard text != RecordType.share.rawValue, let dot = text.firstIndex(of: ".") else {
            self = .type(try RecordType(text))
            return
        }
        self = .field(try RecordType(String(text[..<dot])), try FieldName(String(text[text.index(after: dot)...])))
    }
}

extension SchemaPartName: CustomStringConvertible {
    package var description: String {
        switch self {
        case .type(let type): type.rawValue
        case .field(let type, let field): "\(type).\(field)"
        }
    }
}

extension Schema {
    /// The named parts; all, if none is named.
    /// - Parameter target: the schema that they are promoted over: a type of which only fields are named keeps its
    ///   rights.
    /// - Throws: `NOT_FOUND` for a missing part.
    package func parts(_ names: [SchemaPartName], over target: Schema) throws(CloudError) -> Schema {
        guard !names.isEmpty else { return self }
        var parts = Schema()
        for name in names {
            switch name {
            case .type(let type):
                guard let known = types[type] else { throw Self.missing(name) }
                parts.types[type] = known
                parts.conditions.formUnion(conditions.filter { $0.recordType == type })
            case .field(let type, let field):
                guard let known = types[type], let found = known.fields[field] else { throw Self.missing(name) }
                let bare = TypeSchema(permissions: target.types[type]?.permissions ?? known.permissions)
                parts.types[type, default: bare].fields[field] = found
            }
        }
        return parts
    }

    private static func missing(_ name: SchemaPartName) -> CloudError {
        CloudError(.notFound, "the schema has no '\(name)'; fanfare schema export shows what it has")
    }
}
