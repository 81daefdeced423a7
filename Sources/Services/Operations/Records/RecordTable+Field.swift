import CloudModel
import JSON

extension RecordTable {
    /// The field of a column.
    struct Field: Sendable {
        var name: String
        /// The plain type, also of an encrypted field.
        var type: String
        var isSealed: Bool

        /// The field with the value of a cell; nil for an empty cell, where the type has no empty value.
        func value(_ text: String) throws(RowError) -> JSONValue? {
            guard let value = try content(text) else { return nil }
            var field: JSONObject = ["value": value, "type": .string(type)]
            if isSealed { field["isEncrypted"] = true }
            return .object(field)
        }

        private func content(_ text: String) throws(RowError) -> JSONValue? {
            if ["STRING", "BYTES"].contains(type) { return .string(text) }
            guard !text.isEmpty else { return nil }
            switch type {
            case "INT64":
                guard Int64(text) != nil else { throw wrong("an INT64", text) }
            case "DOUBLE":
                guard Double(text)?.isFinite == true else { throw wrong("a DOUBLE", text) }
            case "TIMESTAMP":
                if let time = Timestamp(iso8601: text) { return .string("\(time.milliseconds)") }
                guard Int64(text) != nil else {
                    throw wrong("a TIMESTAMP, milliseconds since 1970 or 2026-01-31T12:00:00Z,", text)
                }
            case "REFERENCE" where text.first != "{": return ["recordName": .string(text)]
            default:
                guard let json = try? JSONValue(parsing: Array(text.utf8)) else { throw wrong("JSON of \(type)", text) }
                return json
            }
            return .string(text)
        }

        private func wrong(_ expected: String, _ text: String) -> RowError {
            RowError("'\(name)' is not \(expected): \(Self.shown(text))")
        }

        /// A value in a message, cut.
        static func shown(_ text: String) -> String { "'\(text.prefix(60))\(text.count > 60 ? "…" : "")'" }
    }
}
