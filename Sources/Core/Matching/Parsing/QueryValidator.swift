package import CloudModel

/// Makes a typed query of a request's query: reads the predicate string, knows the fields, gives values the types of
/// their fields, and refuses queries that cannot be evaluated. Queries and subscriptions use it alike.
package enum QueryValidator {
    /// The query with values of their fields' types.
    ///
    /// `types` are the schema's fields of the record type; nil if the type is unknown, when any field is accepted
    /// (docs/choices.md, 13). `time` is the value of `now`; nil refuses it, as subscriptions do.
    /// - Throws: `BAD_REQUEST` with the field, the reason and the allowed forms; in a predicate string also the
    ///   character.
    package static func query(
        _ given: GivenQuery, types: [FieldName: FieldType]?, time: Timestamp?,
        allows: PredicateLanguage = .fanfare
    ) throws(CloudError) -> Query {
        let schema = KnownFields(type: given.recordType, types: types)
        var filters: [Filter] = []
        for filter in given.filters { filters.append(try typed(filter, schema)) }
        var query = Query(recordType: given.recordType, filters: filters)
        try FilterValidator.validate(query)
        if let predicate = given.predicate {
            let tree = try PredicateParser.tree(predicate, time: time, allows: allows)
            query.written = WrittenPredicate(
                text: predicate.text, argumentsJSON: predicate.argumentsJSON,
                tree: try PredicateTyping(
                    schema: schema, failure: PredicateFailure(scalars: Array(predicate.text.unicodeScalars)),
                    language: allows
                ).predicate(tree))
        }
        return query
    }

    /// Checks that records can be ordered by these fields.
    /// - Throws: `BAD_REQUEST` that names the field.
    package static func validate(_ sorts: [Sort], of type: RecordType, types: [FieldName: FieldType]?)
        throws(CloudError)
    {
        guard sorts.count <= Limits.sortsMax else {
            throw .badRequest("sortBy names \(sorts.count) fields; at most \(Limits.sortsMax) are allowed")
        }
        let schema = KnownFields(type: type, types: types)
        for sort in sorts {
            let known = try schema.type(of: sort.field)
            guard let known else { continue }
            if sort.relativeLocation != nil {
                guard known == .location else {
                    throw .badRequest("the field '\(sort.field)' is \(known): relativeLocation orders LOCATION fields")
                }
            } else if !known.traits.isOrdered {
                throw .badRequest("records cannot be ordered by '\(sort.field)', which is \(known)")
            }
        }
    }

    private static func typed(_ given: GivenFilter, _ schema: KnownFields) throws(CloudError) -> Filter {
        guard let known = try schema.type(of: given.field) else { return given.filter }
        let filter = given.filter(fieldType: known)
        try FilterValidator.validate(filter, fieldType: known)
        return filter
    }
}

/// The fields of a record type, as the schema knows them.
struct KnownFields {
    let type: RecordType
    /// Nil where the type is unknown, and any field is taken as it is.
    let types: [FieldName: FieldType]?

    /// The type of a field; nil where the record type is unknown, and for all searchable texts.
    /// - Throws: `BAD_REQUEST` for a field that a known type does not have.
    func type(of field: FilterField) throws(CloudError) -> FieldType? {
        switch field {
        case .system(let field): return field.type
        case .searchableTexts: return nil
        case .field(let name):
            guard let types else { return nil }
            guard let known = types[name] else { throw .badRequest("\(type) has no field '\(name)'") }
            return known
        }
    }
}

extension GivenValue {
    /// A reference turned into the name of its record.
    var named: GivenValue { GivenValue(value.named, isTypeExplicit: isTypeExplicit) }
}
