package import CloudModel
package import JSON

extension FieldJSON {
    /// Writes a value alone, without a tree if it is simple; `null` for a number that is not finite, which no request
    /// can save and JSON cannot hold.
    package func write(_ value: FieldValue, to writer: inout JSONWriter) {
        switch value {
        case .string(let text): writer.value(text)
        case .int64(let number) where !areNumbersStrings: writer.value(number)
        case .timestamp(let time) where !areNumbersStrings: writer.value(time.milliseconds)
        default: writer.ownValue(self.value(value))
        }
    }

    /// Writes the fields of a record or notification, by name, each with its type.
    /// - Parameters:
    ///   - cuts: the marks of those of which only the beginning is there.
    ///   - wanted: those to be written; nil for all.
    func write(
        _ fields: RecordFields, cuts: [FieldName: ValueCut] = [:], wanted: Set<FieldName>? = nil,
        to writer: inout JSONWriter
    ) {
        writer.beginObject()
        for entry in fields.entries where wanted?.contains(entry.name) ?? true {
            writer.key(entry.name.rawValue)
            writer.beginObject()
            writer.key("value")
            write(entry.value, to: &writer)
            writer.member("type", Self.typeName(entry.value))
            if entry.value.type.isEncrypted { writer.member("isEncrypted", true) }
            if let seconds = exactSeconds(entry.value) { writer.ownMember("exactSeconds", seconds) }
            if let cut = cuts[entry.name] { writer.ownMember("cut", Self.mark(cut)) }
            writer.endObject()
        }
        writer.endObject()
    }

    /// The mark of a cut value: the size of the whole one.
    static func mark(_ cut: ValueCut) -> JSONValue {
        var json: JSONObject = ["bytes": .integer(Int64(cut.bytes))]
        if let elements = cut.elements { json["elements"] = .integer(Int64(elements)) }
        return .object(json)
    }
}
