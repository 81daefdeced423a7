import CloudModel
import RecordStore

/// The schema as one transaction sees it: in development what is unknown becomes known with its first value, in
/// production it is refused.
final class SchemaInference {
    private let transaction: any StoreTransaction
    private let environment: CloudEnvironment
    private var known: [RecordType: [FieldName: FieldType]?] = [:]
    private var indexings: [RecordType: RecordIndexing] = [:]
    private var granted: [RecordType: TypePermissions] = [:]
    private var counts: [SchemaPart: Int] = [:]

    init(_ transaction: any StoreTransaction, environment: CloudEnvironment) {
        self.transaction = transaction
        self.environment = environment
    }

    /// The fields of a type; nil when it is unknown.
    func fieldTypes(of type: RecordType) throws -> [FieldName: FieldType]? {
        if let known = known[type] { return known }
        let types = try transaction.fieldTypes(of: type)
        known[type] = .some(types)
        return types
    }

    /// The given values with the types of their fields.
    /// - Throws: `BAD_REQUEST` that names the type a field has, or that production does not know it.
    func typed(
        _ given: [FieldName: GivenValue?], of type: RecordType
    ) throws -> [FieldName: FieldValue?] {
        let types = try fieldTypes(of: type)
        if types == nil, environment == .production, type != .share {
            throw CloudError.badRequest(
                "production does not know the record type \(type); create it in development and promote the schema")
        }
        var result: [FieldName: FieldValue?] = [:]
        for (field, value) in given {
            guard let value else {
                result[field] = .some(nil)
                continue
            }
            result[field] = try typed(value, field, types?[field], type)
        }
        return result
    }

    private func typed(
        _ given: GivenValue, _ field: FieldName, _ known: FieldType?, _ type: RecordType
    ) throws(CloudError) -> FieldValue {
        guard let known else {
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

    /// What roles of the public database may do with records of a type.
    func permissions(of type: RecordType) throws -> TypePermissions {
        if let known = granted[type] { return known }
        let permissions = try transaction.permissions(of: type)
        granted[type] = permissions
        return permissions
    }

    /// What records of a known type are found by.
    func indexing(of type: RecordType) throws -> RecordIndexing {
        if let known = indexings[type] { return known }
        let indexes = try transaction.indexes(of: type) ?? TypeIndexes(number: 0, fields: [:], system: [:])
        let indexing = RecordIndexing(indexes: indexes)
        indexings[type] = indexing
        return indexing
    }

    /// How many types and fields a save makes known.
    /// - Throws: `QUOTA_EXCEEDED` where development would learn too many fields of the type, or too much at all.
    func newParts(_ fields: [FieldName: FieldValue?], of type: RecordType) throws -> Int {
        guard environment == .development else { return 0 }
        let types = try fieldTypes(of: type)
        let new = fields.count { name, value in value != nil && types?[name] == nil }
        guard new == 0 || new + (types?.count ?? 0) <= Limits.fieldsPerTypeMax else {
            throw CloudError(
                .quotaExceeded,
                "\(type) would have \(new + (types?.count ?? 0)) fields; development learns at most \(Limits.fieldsPerTypeMax)"
            )
        }
        try checkRoom(for: new, of: .fields)
        // Sharing does not end with the room for other types.
        try checkRoom(for: types == nil && type != .share ? 1 : 0, of: .types)
        return new + (types == nil ? 1 : 0)
    }

    /// Whether development learns more of a part from anybody: users bring as many parts as there are users.
    /// - Throws: `QUOTA_EXCEEDED`.
    func checkRoom(for more: Int, of part: SchemaPart) throws {
        guard more > 0 else { return }
        let (limit, name) = part.bound
        let there = try counts[part] ?? transaction.count(of: part, limit: limit)
        counts[part] = there
        guard there + more <= limit else {
            throw CloudError(
                .quotaExceeded,
                "development knows \(there) \(name) of all users together, and learns at most \(limit); use those there are, or begin with a new store"
            )
        }
    }

    /// Makes unknown types and fields known, with all indexes that development gives them.
    func define(_ fields: [FieldName: FieldValue?], of type: RecordType) throws {
        var types = try fieldTypes(of: type)
        if types == nil {
            try transaction.define(type)
            note(.types)
            types = [:]
            indexings[type] = nil
            if environment == .development {
                for field in SystemField.allCases {
                    try transaction.setIndexes(.ofSystemFields, of: .system(field), in: type)
                }
            }
        }
        for (field, value) in fields {
            guard let value, types?[field] == nil else { continue }
            try transaction.define(field, as: value.type, in: type)
            note(.fields)
            indexings[type] = nil
            if environment == .development {
                try transaction.setIndexes(.all(for: value.type), of: .field(field), in: type)
            }
            types?[field] = value.type
        }
        known[type] = types
    }

    /// Remembers the condition of a subscription.
    func define(_ condition: ConditionShape) throws {
        try transaction.addCondition(condition)
        note(.conditions)
    }

    private func note(_ part: SchemaPart) {
        if let count = counts[part] { counts[part] = count + 1 }
    }
}

extension SchemaPart {
    /// How many development learns, and what they are called.
    fileprivate var bound: (limit: Int, name: String) {
        switch self {
        case .types: (Limits.schemaTypesMax, "record types")
        case .fields: (Limits.schemaFieldsMax, "fields")
        case .conditions: (Limits.schemaConditionsMax, "conditions of subscriptions")
        }
    }
}
