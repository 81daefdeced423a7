import CloudModel
import Testing

/// What promoting a schema adds: docs/cloudkit.md#environments-and-schema.
@Suite struct SchemaTests {
    private static let artwork = RecordType(trusted: "Artwork")
    private static let title = FieldName(trusted: "title")
    private static let year = FieldName(trusted: "year")

    private func schema(_ fields: [FieldName: TypeSchema.Field], _ conditions: [String] = []) -> Schema {
        Schema(
            types: [Self.artwork: TypeSchema(fields: fields)],
            conditions: Set(conditions.map { ConditionShape(recordType: Self.artwork, text: $0) }))
    }

    @Test func everythingThatIsMissingIsAddedTypesFirst() {
        let source = schema([Self.title: .init(type: .string, indexes: .queryable)], ["title EQUALS ON create"])
        let difference = SchemaDifference(promoting: source, over: Schema())
        #expect(
            difference.changes.map(\.description) == [
                "+ record type Artwork", "+ Artwork.title STRING QUERYABLE",
                "+ subscription on Artwork: title EQUALS ON create",
            ])
        #expect(difference.conflicts.isEmpty)
        #expect(SchemaDifference(promoting: source, over: source).changes.isEmpty)
    }

    @Test func nothingIsTakenAway() {
        let source = schema([Self.year: .init(type: .int64, indexes: .sortable)])
        let target = schema([
            Self.year: .init(type: .int64, indexes: .queryable), Self.title: .init(type: .string, indexes: []),
        ])
        let difference = SchemaDifference(promoting: source, over: target)
        #expect(
            difference.changes == [
                .setIndexes(Self.artwork, Self.year, [.queryable, .sortable], before: .queryable)
            ])
    }

    @Test func aFieldOfAnotherTypeIsAConflict() {
        let difference = SchemaDifference(
            promoting: schema([Self.year: .init(type: .string, indexes: [])]),
            over: schema([Self.year: .init(type: .int64, indexes: [])]))
        #expect(difference.conflicts == ["Artwork.year is INT64 there and STRING here; types cannot change"])
    }

    @Test(arguments: [
        (TypePermissions.Role.world, TypePermissions.Right.read, true), (.world, .create, false),
        (.world, .write, false), (.icloud, .read, true), (.icloud, .create, true), (.icloud, .write, false),
        (.creator, .read, true), (.creator, .create, true), (.creator, .write, true),
    ])
    func rightsAreInheritedFromLesserRoles(role: TypePermissions.Role, right: TypePermissions.Right, expected: Bool) {
        #expect(TypePermissions.standard.allow(right, to: role) == expected)
    }

    @Test func theTextIsInCloudKitsSchemaLanguage() {
        var schema = schema(
            [
                Self.title: .init(type: .string, indexes: [.queryable, .searchable, .sortable]),
                Self.year: .init(type: .int64List, indexes: .queryable),
            ], ["title EQUALS ON create"])
        schema.types[Self.artwork]?.systemIndexes[.recordName] = .queryable
        #expect(
            SchemaText.write(schema) == """
                DEFINE SCHEMA

                    RECORD TYPE Artwork (
                        "___recordID" REFERENCE QUERYABLE,
                        title STRING QUERYABLE SEARCHABLE SORTABLE,
                        year LIST<INT64> QUERYABLE,
                        GRANT WRITE TO "_creator",
                        GRANT CREATE TO "_icloud",
                        GRANT READ TO "_world"
                    );

                    -- SUBSCRIPTION Artwork: title EQUALS ON create
                """)
    }
}
