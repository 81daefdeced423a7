package import CloudModel

/// What the schema of an environment says beside the types of fields.
package protocol SchemaReader {
    /// All of it.
    func schema() throws -> Schema

    /// What roles may do with records of a type in the public database; the standard for types that are unknown.
    func permissions(of type: RecordType) throws -> TypePermissions

    /// Whether a subscription has ever had a condition of this shape.
    func hasCondition(_ shape: ConditionShape) throws -> Bool
}

/// Changes it.
package protocol SchemaTransaction: SchemaReader {
    /// Sets what roles may do with records of a known type.
    func setPermissions(_ permissions: TypePermissions, of type: RecordType) throws

    /// Remembers that a subscription had a condition of this shape; harmless when it is known.
    func addCondition(_ shape: ConditionShape) throws
}
