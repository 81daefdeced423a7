package import CloudModel

/// What the schema of an environment says beside the types of fields.
package protocol SchemaReader {
    /// All of it.
    func schema() throws -> Schema

    /// What roles may do with records of a type in the public database; the standard for types that are unknown.
    func permissions(of type: RecordType) throws -> TypePermissions

    /// Whether a subscription has ever had a condition of this shape.
    func hasCondition(_ shape: ConditionShape) throws -> Bool

    /// How many there are of a part; what is over `limit` is not counted.
    func count(of part: SchemaPart, limit: Int) throws -> Int
}

/// What a schema has any number of.
package enum SchemaPart: Sendable {
    /// Record types.
    case types
    /// Fields of all types.
    case fields
    /// Shapes of conditions.
    case conditions
}

/// Changes it.
package protocol SchemaTransaction: SchemaReader {
    /// Sets what roles may do with records of a known type.
    func setPermissions(_ permissions: TypePermissions, of type: RecordType) throws

    /// Remembers that a subscription had a condition of this shape; harmless when it is known.
    func addCondition(_ shape: ConditionShape) throws
}
