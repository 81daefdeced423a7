import TextForms

extension SchemaText {
    /// The comment that holds a condition of a subscription, as the language has no words for one.
    private static let conditionMark = "SUBSCRIPTION "

    /// Reads a schema in CloudKit's schema language, in the form of `cktool export-schema` and of `write`.
    /// - Parameter present: gives the rights of types for which the text grants none.
    /// - Throws: `BAD_REQUEST` with the line and the error, or the unsupported feature; also for a text of more than
    ///   `Limits.schemaTextBytesMax`.
    package static func read(_ text: String, over present: Schema = Schema()) throws(CloudError) -> Schema {
        guard text.utf8.count <= Limits.schemaTextBytesMax else {
            throw .badRequest(
                "the schema has \(text.utf8.count) bytes, and may have \(Limits.schemaTextBytesMax); import it in parts"
            )
        }
        var words = try SchemaWords(text)
        var schema = Schema()
        try words.expect("DEFINE", "SCHEMA")
        while let word = words.peek {
            if words.take(ifIs: ";") { continue }
            if words.take(ifIs: "CREATE") {
                throw SchemaWords.error("there are no roles but _world, _icloud and _creator", word.line)
            }
            try words.expect("RECORD", "TYPE")
            let name = try words.take("the name of a record type")
            let type: RecordType = try named(name)
            guard schema.types[type] == nil else { throw SchemaWords.error("\(type) stands twice in it", name.line) }
            schema.types[type] = try readType(&words, present.types[type]?.permissions ?? .standard)
        }
        for (comment, line) in words.comments where comment.hasPrefix(noRightsMark) {
            let type: RecordType = try named(.init(text: String(comment.dropFirst(noRightsMark.count)), line: line))
            schema.types[type]?.permissions = TypePermissions(rawValue: 0)
        }
        for (comment, line) in words.comments where comment.hasPrefix(conditionMark) {
            schema.conditions.insert(try condition(comment.dropFirst(conditionMark.count), line))
        }
        return schema
    }

    private static func readType(
        _ words: inout SchemaWords, _ permissions: TypePermissions
    ) throws(CloudError) -> TypeSchema {
        var schema = TypeSchema(permissions: TypePermissions(rawValue: 0))
        var grants = false
        try words.expect("(")
        // A type without fields has empty parentheses.
        if !words.take(ifIs: ")") {
            repeat {
                if words.take(ifIs: "GRANT") {
                    try readGrant(&words, &schema.permissions)
                    grants = true
                } else {
                    try readField(&words, &schema)
                }
            } while words.take(ifIs: ",")
            try words.expect(")")
        }
        if !grants { schema.permissions = permissions }
        return schema
    }

    private static func readField(_ words: inout SchemaWords, _ schema: inout TypeSchema) throws(CloudError) {
        let name = try words.take("the name of a field")
        let type = try readFieldType(&words)
        var indexes: FieldIndexes = []
        while let index = words.peek.flatMap({ Self.indexes[$0.text.uppercased()] }) {
            _ = try words.take("an index")
            indexes.insert(index)
        }
        guard !name.text.hasPrefix("___") else {
            // The change tag is in every schema, and nothing is found by it.
            guard let field = SystemField(name: name.text) else {
                guard name.text == "___etag" else {
                    throw SchemaWords.error("'\(name.text)' is no system field", name.line)
                }
                return
            }
            if !indexes.isEmpty { schema.systemIndexes[field] = indexes }
            return
        }
        guard indexes.isSubset(of: .all(for: type)) else {
            throw SchemaWords.error(
                "a field of \(schemaType(type)) cannot be\(names(indexes.subtracting(.all(for: type))))", name.line)
        }
        let field: FieldName = try named(name)
        guard schema.fields.updateValue(TypeSchema.Field(type: type, indexes: indexes), forKey: field) == nil else {
            throw SchemaWords.error("the field '\(field)' stands twice in its type", name.line)
        }
    }

    private static let indexes: [String: FieldIndexes] = [
        "QUERYABLE": .queryable, "SEARCHABLE": .searchable, "SORTABLE": .sortable,
    ]

    private static func readFieldType(_ words: inout SchemaWords) throws(CloudError) -> FieldType {
        guard words.take(ifIs: "LIST") else { return try readElementType(&words) }
        try words.expect("<")
        let element = try readElementType(&words)
        try words.expect(">")
        guard let list = element.listType else {
            throw SchemaWords.error("there are no lists of \(element)", words.peek?.line ?? 1)
        }
        return list
    }

    private static func readElementType(_ words: inout SchemaWords) throws(CloudError) -> FieldType {
        let line = words.peek?.line ?? 1
        guard words.take(ifIs: "ENCRYPTED") else { return try readPlainType(&words) }
        let plain = try readPlainType(&words)
        guard let type = plain.encryptedType else {
            throw SchemaWords.error("there are no encrypted fields of \(plain)", line)
        }
        return type
    }

    /// A type that is neither encrypted nor a list. No function of this reader calls itself: the grammar ends here.
    private static func readPlainType(_ words: inout SchemaWords) throws(CloudError) -> FieldType {
        // A number of either kind; this service's fields have one.
        if words.take(ifIs: "NUMBER") {
            guard words.take(ifIs: "PREFERRED") else { return .double }
            try words.expect("AS")
        }
        let word = try words.take("the type of a field")
        guard let type = FieldType(name: word.text.uppercased()), type.elementType == nil else {
            throw SchemaWords.error("'\(word.text)' is no type of a field", word.line)
        }
        return type
    }

    private static func readGrant(
        _ words: inout SchemaWords, _ permissions: inout TypePermissions
    ) throws(CloudError) {
        var rights: [TypePermissions.Right] = []
        repeat {
            let word = try words.take("a right")
            guard let right = TypePermissions.Right(name: word.text) else {
                throw SchemaWords.error("'\(word.text)' is no right: READ, CREATE or WRITE is", word.line)
            }
            rights.append(right)
        } while words.take(ifIs: ",")
        try words.expect("TO")
        let word = try words.take("a role")
        guard let role = TypePermissions.Role(name: word.text) else {
            throw SchemaWords.error("'\(word.text)' is no role: _world, _icloud or _creator is", word.line)
        }
        for right in rights { permissions[role, right] = true }
    }

    private static func condition(_ text: Substring, _ line: Int) throws(CloudError) -> ConditionShape {
        guard let colon = text.firstPlace(of: ": ") else {
            throw SchemaWords.error("a subscription is written as 'TYPE: CONDITION'", line)
        }
        let type: RecordType = try named(.init(text: String(text[..<colon.lowerBound]), line: line))
        return ConditionShape(recordType: type, text: String(text[colon.upperBound...]))
    }

    private static func named<Name: Identifier>(_ word: SchemaWords.Word) throws(CloudError) -> Name {
        do {
            return try Name(word.text)
        } catch {
            throw SchemaWords.error(error.reason, word.line)
        }
    }
}
