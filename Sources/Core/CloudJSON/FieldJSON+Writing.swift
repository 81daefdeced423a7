package import CloudModel
package import JSON

extension FieldJSON {
    /// Writes a value alone, without a tree where it is simple; `null` for a number that is not finite, which no request
    /// can save and JSON cannot hold.
    package func write(_ value: FieldValue, to writer: inout JSONWriter) {
        switch value {
        case .string(let text): writer.value(text)
        case .int64(let number) where !areNumbersStrings: writer.value(number)
        case .timestamp(let time) where !areNumbersStrings: writer.value(time.milliseconds)
        default:
            let mark = writer.mark
            do throws(JSONError) {
                try writer.value(self.value(value))
            } catch {
                writer.rewind(to: mark)
                writer.null()
            }
        }
    }

    /// Writes all fields of a notification, by name, each with its type.
    func write(_ fields: RecordFields, to writer: inout JSONWriter) {
        writer.beginObject()
        for entry in fields.entries {
            writer.key(entry.name.rawValue)
            writer.beginObject()
            writer.key("value")
            write(entry.value, to: &writer)
            writer.member("type", Self.typeName(entry.value))
            if entry.value.type.isEncrypted { writer.member("isEncrypted", true) }
            writer.endObject()
        }
        writer.endObject()
    }
}
