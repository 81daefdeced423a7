import CloudModel
import TestSupport
import Testing

/// CloudKit's schema language, read and written: docs/cloudkit.md#environments-and-schema.
@Suite struct SchemaTextTests {
    @Test("an export of cktool is read: quotes, comments, lists, system fields, rights")
    func reading() throws {
        let schema = try SchemaText.read(
            """
            DEFINE SCHEMA

                RECORD TYPE Artwork (
                    "___createTime" TIMESTAMP,
                    "___etag"       STRING,
                    "___recordID"   REFERENCE QUERYABLE,
                    -- what hangs beside it
                    title           STRING QUERYABLE SEARCHABLE SORTABLE,
                    years           list<int64> queryable, // in small letters
                    "picture"       ASSET,
                    price           NUMBER PREFERRED AS INT64,
                    weight          NUMBER,
                    /* rights
                       of roles */
                    GRANT WRITE TO "_creator",
                    GRANT READ, CREATE TO _icloud
                );

                RECORD TYPE Users (
                    roles LIST<INT64>,
                    GRANT READ TO "_world"
                );

                RECORD TYPE Empty ();
            """)
        let artwork = try #require(schema.types[RecordType(trusted: "Artwork")])
        #expect(artwork.systemIndexes == [.recordName: .queryable])
        let fields = Dictionary(uniqueKeysWithValues: artwork.fields.map { ($0.key.rawValue, $0.value) })
        #expect(
            fields == [
                "title": .init(type: .string, indexes: [.queryable, .searchable, .sortable]),
                "years": .init(type: .int64List, indexes: .queryable), "picture": .init(type: .asset, indexes: []),
                "price": .init(type: .int64, indexes: []), "weight": .init(type: .double, indexes: []),
            ])
        #expect(artwork.permissions[.creator, .write] && artwork.permissions[.icloud, .create])
        #expect(!artwork.permissions[.world, .read])
        #expect(schema.types.count == 3)
        #expect(schema.types[RecordType(trusted: "Empty")]?.permissions == .standard)
    }

    @Test(
        "a mistake is named with its line",
        arguments: [
            ("", "line 1"), ("DEFINE SCHEMA\nRECORD TYPE T (\nn INT65\n);", "line 3"),
            ("DEFINE SCHEMA RECORD TYPE T (n INT64 SEARCHABLE);", "SEARCHABLE"),
            ("DEFINE SCHEMA\n\nTABLE T ();", "line 3"),
            ("DEFINE SCHEMA RECORD TYPE T (n INT64, n STRING);", "twice"),
            ("DEFINE SCHEMA RECORD TYPE T (); RECORD TYPE T ();", "twice"),
            ("DEFINE SCHEMA RECORD TYPE T (n INT64", ") is missing"), ("DEFINE SCHEMA RECORD TYPE T (n", "it ends"),
            ("DEFINE SCHEMA RECORD TYPE T (\"n INT64);", "quote"),
            ("DEFINE SCHEMA /* RECORD TYPE T ();", "comment"), ("DEFINE SCHEMA CREATE ROLE x;", "roles"),
            ("DEFINE SCHEMA RECORD TYPE T (GRANT READ TO x);", "role"),
            ("DEFINE SCHEMA RECORD TYPE T (\"___x\" STRING);", "system"),
            ("DEFINE SCHEMA RECORD TYPE T (GRANT EAT TO _world);", "right"),
            ("DEFINE SCHEMA RECORD TYPE 1T ();", "recordType"),
            ("DEFINE SCHEMA RECORD TYPE T (n ENCRYPTED REFERENCE);", "REFERENCE"),
            ("DEFINE SCHEMA RECORD TYPE T (n ENCRYPTED ENCRYPTED INT64);", "ENCRYPTED"),
            ("DEFINE SCHEMA RECORD TYPE T (n ENCRYPTED STRING QUERYABLE);", "QUERYABLE"),
            ("DEFINE SCHEMA RECORD TYPE T (n LIST<LIST<INT64>>);", "LIST"), ("DEFINE SCHEMA RECORD TYPE T [];", "sign"),
        ])
    func mistakes(text: String, words: String) {
        #expect { try SchemaText.read(text) } throws: { ($0 as? CloudError)?.reason.contains(words) == true }
    }

    @Test(
        "a type of any depth is refused with its line, on the smallest stack",
        arguments: [
            "ENCRYPTED ", "encrypted\n", "NUMBER PREFERRED AS ", "ENCRYPTED NUMBER PREFERRED AS ", "LIST<",
            "LIST<ENCRYPTED ", "ENCRYPTED LIST<", "\"ENCRYPTED\" ", "( ", "/* */ ENCRYPTED -- x\n",
        ])
    func depth(part: String) {
        let text = "DEFINE SCHEMA RECORD TYPE T (n " + String(repeating: part, count: 20_000)
        for tail in ["", "INT64);", "INT64" + String(repeating: ">", count: 20_000) + ");"] {
            let read = SmallStack.run { Result { () throws(CloudError) in try SchemaText.read(text + tail) } }
            guard case .failure(let error) = read else {
                Issue.record("\(part) was taken")
                continue
            }
            #expect(error.code == .badRequest && error.reason.hasPrefix("line "), "\(error.reason)")
        }
    }

    @Test("a text beyond the limit of bytes is refused before it is read")
    func size() {
        let text = "DEFINE SCHEMA" + String(repeating: ";", count: Limits.schemaTextBytesMax)
        #expect { try SchemaText.read(text) } throws: {
            ($0 as? CloudError)?.reason.contains("\(Limits.schemaTextBytesMax)") == true
        }
    }

    @Test(
        "a field whose name is a word of the language is read back as written", arguments: ["GRANT", "Grant", "LIST"])
    func words(name: String) throws {
        let text = "DEFINE SCHEMA RECORD TYPE T (\"\(name)\" STRING QUERYABLE, GRANT READ TO \"_world\");"
        let schema = try SchemaText.read(text)
        #expect(schema.types[RecordType(trusted: "T")]?.fields.keys.map(\.rawValue) == [name])
        #expect(try SchemaText.read(SchemaText.write(schema)) == schema)
    }

    @Test("a random schema is read back as written, by seed", arguments: 1...50)
    func roundTrip(seed: UInt64) throws {
        var random = SeededGenerator(seed: seed)
        var schema = Schema()
        for number in 0..<Int.random(in: 0...4, using: &random) {
            let type = RecordType(trusted: "T\(number)")
            var known = TypeSchema()
            for field in 0..<Int.random(in: 0...5, using: &random) {
                let kind = FieldType.allCases.randomElement(using: &random)!
                let all = FieldIndexes.all(for: kind)
                let indexes = Bool.random(using: &random) ? all : all.intersection(.queryable)
                known.fields[FieldName(trusted: "f\(field)")] = TypeSchema.Field(type: kind, indexes: indexes)
            }
            for field in SystemField.allCases where Bool.random(using: &random) {
                known.systemIndexes[field] = .ofSystemFields
            }
            known.permissions[.world, .write] = Bool.random(using: &random)
            if Int.random(in: 0..<4, using: &random) == 0 { known.permissions = TypePermissions(rawValue: 0) }
            schema.types[type] = known
            schema.conditions.insert(ConditionShape(recordType: type, text: "f0 EQUALS[c] ON create, update"))
        }
        #expect(try SchemaText.read(SchemaText.write(schema)) == schema, "seed \(seed)")
    }

    @Test("parts are promoted by name, and nothing beside them")
    func parts() throws {
        let text = """
            DEFINE SCHEMA
            RECORD TYPE A (a INT64 QUERYABLE, b STRING, GRANT READ TO _world);
            RECORD TYPE B (a INT64);
            -- SUBSCRIPTION A: a EQUALS ON create
            -- SUBSCRIPTION B: a EQUALS ON create
            """
        let schema = try SchemaText.read(text)
        func changes(_ names: String...) throws -> [String] {
            let names = try names.map { try SchemaPartName($0) }
            return SchemaDifference(promoting: try schema.parts(names, over: Schema()), over: Schema()).changes
                .map(\.description)
        }
        #expect(try changes("B") == ["+ record type B", "+ B.a INT64", "+ subscription on B: a EQUALS ON create"])
        #expect(
            try changes("A.b") == ["+ record type A", "+ A.b STRING", "~ A: GRANT READ TO \"_world\""])
        #expect(try changes("A", "B") == changes())
        for name in ["C", "A.c", "C.a"] {
            #expect { try changes(name) } throws: { ($0 as? CloudError)?.code == .notFound }
        }
        #expect(throws: CloudError.self) { try changes("A.") }
    }
}
