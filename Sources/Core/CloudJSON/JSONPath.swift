package import CloudModel
package import JSON

/// A place in a body with the value there: reads typed members, and errors name the place.
package struct JSONPath: Sendable {
    /// The value at this place.
    package let value: JSONValue
    /// As in `operations[3].record.fields.title`; empty for the body itself.
    package let path: String
    /// True if the numbers of fields are written as strings (`numbersAsStrings`).
    package let areNumbersStrings: Bool

    /// A value with the place that errors name.
    package init(_ value: JSONValue, path: String = "", areNumbersStrings: Bool = false) {
        self.value = value
        self.path = path
        self.areNumbersStrings = areNumbersStrings
    }

    /// The body of a request.
    /// - Throws: `BAD_REQUEST` with the place of the first mistake, or when it is no object.
    package static func body(_ bytes: [UInt8]) throws(CloudError) -> JSONPath {
        let value: JSONValue
        do {
            value = try JSONValue(parsing: bytes)
        } catch {
            throw .badRequest("the body is not valid JSON: \(error)")
        }
        guard value.object != nil else { throw .badRequest("the body must be a JSON object, not \(value.kind)") }
        return JSONPath(value, areNumbersStrings: try JSONPath(value)["numbersAsStrings"]?.bool() ?? false)
    }

    /// A member; nil when it is absent or null.
    package subscript(key: String) -> JSONPath? {
        guard let member = value[key], !member.isNull else { return nil }
        return below(member, path.isEmpty ? key : "\(path).\(key)")
    }

    /// A member that must be there.
    package func required(_ key: String) throws(CloudError) -> JSONPath {
        guard let member = self[key] else {
            throw .badRequest(path.isEmpty ? "the body needs '\(key)'" : "\(path) needs '\(key)'")
        }
        return member
    }

    /// The elements of an array.
    package func elements() throws(CloudError) -> [JSONPath] {
        guard let array = value.array else { throw wrong("an array") }
        return array.enumerated().map { below($0.element, "\(path)[\($0.offset)]") }
    }

    /// The elements of a list that is read again for each item of a request.
    package func elements(atMost limit: Int) throws(CloudError) -> [JSONPath] {
        if let count = value.array?.count, count > limit {
            throw .badRequest("\(path) has \(count) elements; at most \(limit) are allowed")
        }
        return try elements()
    }

    /// The elements of an array, each read by `read`.
    package func elements<Value>(
        _ read: (JSONPath) throws(CloudError) -> Value
    ) throws(CloudError) -> [Value] {
        var values: [Value] = []
        for element in try elements() { values.append(try read(element)) }
        return values
    }

    /// The names in an array, each checked.
    package func identifiers<Name: Identifier>(_ kind: Name.Type = Name.self) throws(CloudError) -> [Name] {
        try elements { element throws(CloudError) in try element.identifier(kind) }
    }

    /// A member, read by `read`; nil when it is absent or null.
    package func member<Value>(
        _ key: String, _ read: (JSONPath) throws(CloudError) -> Value
    ) throws(CloudError) -> Value? {
        guard let member = self[key] else { return nil }
        return try read(member)
    }

    private func below(_ value: JSONValue, _ path: String) -> JSONPath {
        JSONPath(value, path: path, areNumbersStrings: areNumbersStrings)
    }

    /// The members of an object.
    package func members() throws(CloudError) -> [(key: String, value: JSONPath)] {
        guard let object = value.object else { throw wrong("an object") }
        return object.map { ($0.key, below($0.value, "\(path).\($0.key)")) }
    }

    /// Checks that this is an object.
    package func object() throws(CloudError) -> JSONPath {
        guard value.object != nil else { throw wrong("an object") }
        return self
    }

    /// The string here.
    package func string() throws(CloudError) -> String {
        guard let string = value.string else { throw wrong("a string") }
        return string
    }

    /// The integer here, which may be written as a double that is whole.
    package func integer() throws(CloudError) -> Int64 {
        guard let integer = value.wholeNumber else { throw wrong("an integer") }
        return integer
    }

    /// The boolean here.
    package func bool() throws(CloudError) -> Bool {
        guard let bool = value.bool else { throw wrong("true or false") }
        return bool
    }

    /// A name of a checked kind; the error names the place.
    package func identifier<Name: Identifier>(_ kind: Name.Type = Name.self) throws(CloudError) -> Name {
        let text = try string()
        do {
            return try Name(text)
        } catch {
            throw .badRequest("\(path): \(error.reason)")
        }
    }

    /// The error of a value of another kind, which names the place.
    package func wrong(_ expected: String) -> CloudError {
        .badRequest("\(path.isEmpty ? "the body" : path) must be \(expected), not \(value.kind)")
    }
}

extension JSONValue {
    /// The value as an integer, also of a double without a fraction: languages whose numbers are all doubles write
    /// `5.0`.
    var wholeNumber: Int64? { integer ?? number.flatMap { Int64(exactly: $0) } }
}
