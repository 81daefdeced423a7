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
            if let cut = cuts[entry.name] { Self.write(cut, to: &writer) }
            writer.endObject()
        }
        writer.endObject()
    }

    /// Writes the mark of a cut value: the size of the whole one.
    private static func write(_ cut: ValueCut, to writer: inout JSONWriter) {
        writer.key("cut")
        writer.beginObject()
        writer.member("bytes", cut.bytes)
        if let elements = cut.elements { writer.member("elements", elements) }
        writer.endObject()
    }
}
