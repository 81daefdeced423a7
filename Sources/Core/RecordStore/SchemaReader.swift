package import CloudModel

/// Reads of an environment's schema, beside the types of fields.
package protocol SchemaReader {
    /// All of it.
    func schema() throws -> Schema

    /// The permissions of roles on records of a type in the public database; the standard for unknown types.
    func permissions(of type: RecordType) throws -> TypePermissions

    /// Returns true if a subscription has ever had a condition of this shape.
    func hasCondition(_ shape: ConditionShape) throws -> Bool

    /// The number of elements of a part, counted no further than `limit`.
    func count(of part: SchemaPart, limit: Int) throws -> Int
}

/// A part of a schema that is counted.
package enum SchemaPart: Sendable {
    /// Record types.
    case types
    /// Fields of all types.
    case fields
    /// Shapes of conditions.
    case conditions
}

/// Writes of the schema.
package protocol SchemaTransaction: SchemaReader {
    /// Sets the permissions of roles on records of a known type.
    func setPermissions(_ permissions: TypePermissions, of type: RecordType) throws

    /// Remembers that a subscription had a condition of this shape; harmless when it is known.
    func addCondition(_ shape: ConditionShape) throws

    /// Removes the types that no record has, with their fields, permissions and conditions. A type of records that were
    /// deleted stays, without fields and with the standard permissions, as long as their tombstones do.
    func removeUnusedTypes() throws -> TypeRemoval
}
