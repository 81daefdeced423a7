import CloudModel
import RecordStore

/// The schema as one transaction sees it: in development unknown types and fields are learned from their first value,
/// in production they are refused.
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

    /// The schema of a type, with the room for what a save of fields would make known.
    func schema(of type: RecordType, saving fields: [FieldName: GivenValue?]) throws -> TypeSchema {
        var schema = TypeSchema(type, environment, fields: try fieldTypes(of: type))
        guard environment == .development else { return schema }
        if schema.fields == nil { schema.known[.types] = try count(of: .types) }
        let isNew = fields.contains { $0.value != nil && schema.fields?[$0.key] == nil }
        if isNew { schema.known[.fields] = try count(of: .fields) }
        return schema
    }

    /// The rights of roles of the public database on records of a type.
    func permissions(of type: RecordType) throws -> TypePermissions {
        if let known = granted[type] { return known }
        let permissions = try transaction.permissions(of: type)
        granted[type] = permissions
        return permissions
    }

    /// The indexes of records of a known type.
    func indexing(of type: RecordType) throws -> RecordIndexing {
        if let known = indexings[type] { return known }
        let indexes = try transaction.indexes(of: type) ?? TypeIndexes(number: 0, fields: [:], system: [:])
        let indexing = RecordIndexing(indexes: indexes)
        indexings[type] = indexing
        return indexing
    }

    /// Checks that development learns one condition more from anybody.
    /// - Throws: `QUOTA_EXCEEDED`.
    func checkRoomForCondition() throws {
        try SchemaPart.conditions.checkRoom(for: 1, known: try count(of: .conditions))
    }

    private func count(of part: SchemaPart) throws -> Int {
        if let known = counts[part] { return known }
        let found = try transaction.count(of: part, limit: part.limit)
        counts[part] = found
        return found
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
