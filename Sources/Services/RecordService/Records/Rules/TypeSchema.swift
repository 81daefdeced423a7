import CloudModel
import RecordStore

/// The schema of one type, with the rules for values that it knows or would have to learn.
struct TypeSchema {
    let type: RecordType
    let environment: CloudEnvironment
    /// The fields of the type; nil when it is unknown.
    var fields: [FieldName: FieldType]?
    /// Parts that the whole schema has, of those that a save would add to.
    var known: [SchemaPart: Int] = [:]

    init(_ type: RecordType, _ environment: CloudEnvironment, fields: [FieldName: FieldType]? = nil) {
        self.type = type
        self.environment = environment
        self.fields = fields
    }

    /// The given values with the types of their fields.
    /// - Throws: `BAD_REQUEST` that names the type a field has, or that production does not know it.
    func typed(_ given: [FieldName: GivenValue?]) throws(CloudError) -> [FieldName: FieldValue?] {
        if fields == nil, environment == .production, type != .share, type != .users {
            throw .badRequest(
                "production does not know the record type \(type); create it in development and promote the schema")
        }
        var result: [FieldName: FieldValue?] = [:]
        for (field, value) in given {
            guard let value else {
                result[field] = .some(nil)
                continue
            }
            result[field] = try typed(value, field)
        }
        return result
    }

    private func typed(_ given: GivenValue, _ field: FieldName) throws(CloudError) -> FieldValue {
        guard !given.isCut else {
            throw .badRequest(
                "the field '\(field)' has the mark 'cut': an answer with valueBytesMax had the beginning of its value only; look the record up without valueBytesMax and save the whole value, or leave the field out"
            )
        }
        guard let known = fields?[field] else {
            if environment == .production {
                throw .badRequest(
                    "production does not know the field '\(field)' of \(type); create it in development and promote the schema"
                )
            }
            return given.value
        }
        guard let value = given.converted(to: known) else {
            throw .badRequest("the field '\(field)' of \(type) is \(known), not \(given.value.type)")
        }
        return value
    }

    /// The number of types and fields that a save adds to the schema.
    /// - Throws: `QUOTA_EXCEEDED` if development would learn too many fields of the type, or too many in all: without a
    ///   bound each user could add as many.
    func newParts(_ given: [FieldName: FieldValue?]) throws(CloudError) -> Int {
        guard environment == .development else { return 0 }
        let new = given.count { name, value in value != nil && fields?[name] == nil }
        guard new == 0 || new + (fields?.count ?? 0) <= Limits.fieldsPerTypeMax else {
            throw CloudError.exceeded(
                ExceededLimit("fieldsPerTypeMax", Limits.fieldsPerTypeMax, of: .number),
                "\(type) would have \(new + (fields?.count ?? 0)) fields; development learns at most \(Limits.fieldsPerTypeMax)"
            )
        }
        try SchemaPart.fields.checkRoom(for: new, known: known[.fields] ?? 0)
        // Sharing does not end with the room for other types.
        try SchemaPart.types.checkRoom(for: fields == nil && type != .share ? 1 : 0, known: known[.types] ?? 0)
        return new + (fields == nil ? 1 : 0)
    }
}

extension SchemaPart {
    /// The number of parts that development learns.
    var limit: Int {
        switch self {
        case .types: Limits.schemaTypesMax
        case .fields: Limits.schemaFieldsMax
        case .conditions: Limits.schemaConditionsMax
        }
    }

    private var limitName: String {
        switch self {
        case .types: "schemaTypesMax"
        case .fields: "schemaFieldsMax"
        case .conditions: "schemaConditionsMax"
        }
    }

    private var text: String {
        switch self {
        case .types: "record types"
        case .fields: "fields"
        case .conditions: "conditions of subscriptions"
        }
    }

    /// Checks that development learns more of a part.
    /// - Throws: `QUOTA_EXCEEDED`.
    func checkRoom(for more: Int, known: Int) throws(CloudError) {
        guard more > 0, known + more > limit else { return }
        throw CloudError.exceeded(
            ExceededLimit(limitName, limit, of: .number),
            "development knows \(known) \(text) of all users together, and learns at most \(limit); use those there are, or begin with a new store"
        )
    }
}
