import CloudModel
import SQLite

/// Evaluates predicates in SQL: an oracle that shares no code with `Matching`.
///
/// A field is stored in one column for each kind of value, NULL where the record has another kind, so that SQLite's
/// order across storage classes never plays a part. SQLite compares integers with doubles exactly, as the rules ask.
/// What SQL cannot say is left out of the generated values: case folding beyond ASCII, NaN, NUL.
struct SQLOracle {
    private static let fields = ["a", "b", "c"]
    private let connection: SQLiteConnection

    init(_ records: [Record]) throws {
        connection = try SQLiteConnection.open(SQLiteConfiguration(path: ":memory:"))
        let columns = Self.fields.flatMap {
            ["\($0)_text TEXT", "\($0)_number", "\($0)_name", "\($0)_zone", "\($0)_list"]
        }
        try connection.execute(
            "CREATE TABLE records (position, name, zone, created, modified, creator, modifier, "
                + columns.joined(separator: ", ") + ")")
        for (position, record) in records.enumerated() { try insert(record, position) }
    }

    /// The positions of the records that satisfy a predicate.
    func matches(_ predicate: Predicate) throws -> [Int] {
        var values: [SQLiteValue] = []
        let sql = Self.sql(predicate, &values)
        let statement = try connection.statement("SELECT position FROM records WHERE \(sql) ORDER BY position")
        try statement.bind(values)
        defer { statement.reset() }
        var positions: [Int] = []
        while try statement.step() { positions.append(Int(statement.integer(0))) }
        return positions
    }

    private func insert(_ record: Record, _ position: Int) throws {
        var values: [SQLiteValue] = [
            .integer(Int64(position)), .text(record.name.rawValue), .text(Self.text(record.zone)),
            .integer(record.created.timestamp.milliseconds), .integer(record.modified.timestamp.milliseconds),
            .text(record.created.user.rawValue), .text(record.modified.user.rawValue),
        ]
        for name in Self.fields { values += Self.columns(record.fields[FieldName(trusted: name)], record) }
        let marks = Array(repeating: "?", count: values.count).joined(separator: ", ")
        let statement = try connection.statement("INSERT INTO records VALUES (\(marks))")
        try statement.bind(values)
        try statement.execute()
    }

    private static func columns(_ value: FieldValue?, _ record: Record) -> [SQLiteValue] {
        var columns = [SQLiteValue](repeating: .null, count: 5)
        switch value {
        case nil: break
        case .string(let text)?: columns[0] = .text(text)
        case .int64(let number)?: columns[1] = .integer(number)
        case .double(let number)?: columns[1] = .real(number)
        case .timestamp(let time)?: columns[1] = .integer(time.milliseconds)
        case .reference(let reference)?:
            columns[2] = .text(reference.recordName.rawValue)
            columns[3] = .text(text(reference.zone ?? record.zone))
        // Each member between separators that occur in no value.
        case .list(let list, of: .string)?:
            columns[4] = .text(
                "\u{1}" + list.map { if case .string(let text) = $0 { text + "\u{1}" } else { "" } }.joined())
        case .bytes?, .location?, .asset?, .list?, .encrypted?: break
        }
        return columns
    }

    private static func text(_ zone: ZoneID) -> String { "\(zone.name)/\(zone.owner)" }

    private static func sql(_ predicate: Predicate, _ values: inout [SQLiteValue]) -> String {
        switch predicate {
        case .always: return "1"
        case .all(let parts):
            return parts.isEmpty ? "1" : "(" + parts.map { sql($0, &values) }.joined(separator: " AND ") + ")"
        case .any(let parts):
            return parts.isEmpty ? "0" : "(" + parts.map { sql($0, &values) }.joined(separator: " OR ") + ")"
        case .not(let part): return "(NOT \(sql(part, &values)))"
        // docs/choices.md, 22: on an absent field false, so that its negation is true.
        case .comparison(let comparison): return "coalesce(\(sql(comparison, &values)), 0)"
        }
    }

    private static func sql(_ comparison: Predicate.Comparison, _ values: inout [SQLiteValue]) -> String {
        switch comparison.relation {
        case .exists:
            guard case .field(let name) = comparison.field else { return "1" }
            return
                "(\(["text", "number", "name", "list"].map { "\(name)_\($0) IS NOT NULL" }.joined(separator: " OR ")))"
        case .equals(let operand, let options):
            if case .string(let text) = operand, case .field(let name) = comparison.field, options.isEmpty {
                values.append(.text(text))
                return "(\(name)_text = ?)"
            }
            return equality(comparison.field, operand, &values)
        case .lessThan(let operand): return order("<", comparison.field, operand, &values)
        case .lessThanOrEquals(let operand): return order("<=", comparison.field, operand, &values)
        case .greaterThan(let operand): return order(">", comparison.field, operand, &values)
        case .greaterThanOrEquals(let operand): return order(">=", comparison.field, operand, &values)
        case .isIn(let operands, _):
            let parts = operands.map { "coalesce(\(equality(comparison.field, $0, &values)), 0)" }
            return parts.isEmpty ? "0" : "(" + parts.joined(separator: " OR ") + ")"
        case .beginsWith(let prefix, let options):
            guard let column = column(comparison.field, .string(prefix)) else { return "0" }
            values += [.text(prefix), .text(prefix)]
            return "(substr(\(column), 1, length(?)) = ?\(collation(options)))"
        case .endsWith(let suffix, let options):
            guard let column = column(comparison.field, .string(suffix)) else { return "0" }
            values += [.text(suffix), .text(suffix), .text(suffix)]
            return
                "(length(\(column)) >= length(?) AND substr(\(column), length(\(column)) - length(?) + 1) = ?\(collation(options)))"
        case .containsText(let part, let options):
            guard let column = column(comparison.field, .string(part)) else { return "0" }
            values.append(.text(part))
            return options.isEmpty ? "(instr(\(column), ?) > 0)" : "(instr(lower(\(column)), lower(?)) > 0)"
        case .like(let pattern, let options):
            guard let column = column(comparison.field, .string(pattern.text)) else { return "0" }
            // GLOB has the same wildcards, and sets in brackets besides.
            values.append(
                .text(pattern.text.split(separator: "[", omittingEmptySubsequences: false).joined(separator: "[[]")))
            return options.isEmpty ? "(\(column) GLOB ?)" : "(lower(\(column)) GLOB lower(?))"
        default: return listTest(comparison, &values)
        }
    }

    private static func listTest(_ comparison: Predicate.Comparison, _ values: inout [SQLiteValue]) -> String {
        switch comparison.relation {
        case .listContainsAny(let operands, let options):
            let parts = operands.map { member(comparison.field, $0, options, &values) }
            return parts.isEmpty ? "0" : "(\(parts.joined(separator: " OR ")))"
        case .listContainsAll(let operands, let options):
            guard case .field(let name) = comparison.field else { return "0" }
            let parts = operands.map { member(comparison.field, $0, options, &values) }
            return "(\((["\(name)_list IS NOT NULL"] + parts).joined(separator: " AND ")))"
        case .listMemberBeginsWith(let prefix, let options):
            guard case .field(let name) = comparison.field else { return "0" }
            // Behind the last separator there is no member.
            let list = "substr(\(name)_list, 1, length(\(name)_list) - 1)"
            values.append(.text("\u{1}\(prefix)"))
            return options.isEmpty ? "(instr(\(list), ?) > 0)" : "(instr(lower(\(list)), lower(?)) > 0)"
        case .listContains(let operand, let options): return member(comparison.field, operand, options, &values)
        default: return "0"
        }
    }

    private static func collation(_ options: Predicate.StringOptions) -> String {
        options.isEmpty ? "" : " COLLATE NOCASE"
    }

    private static func member(
        _ field: FilterField, _ operand: FieldValue, _ options: Predicate.StringOptions, _ values: inout [SQLiteValue]
    ) -> String {
        guard case .field(let name) = field, case .string(let text) = operand else { return "0" }
        values.append(.text("\u{1}\(text)\u{1}"))
        return options.isEmpty ? "(instr(\(name)_list, ?) > 0)" : "(instr(lower(\(name)_list), lower(?)) > 0)"
    }

    private static func equality(_ field: FilterField, _ operand: FieldValue, _ values: inout [SQLiteValue]) -> String {
        switch (field, operand) {
        case (.field(let name), .string(let text)):
            values.append(.text(text))
            return "(\(name)_text = ? COLLATE NOCASE)"
        case (.field(let name), .reference(let reference)):
            values += [.text(reference.recordName.rawValue), .optional(reference.zone.map(text))]
            return "(\(name)_name = ? AND \(name)_zone = coalesce(?, zone))"
        default: return order("=", field, operand, &values)
        }
    }

    private static func order(
        _ sign: String, _ field: FilterField, _ operand: FieldValue, _ values: inout [SQLiteValue]
    ) -> String {
        guard let column = column(field, operand) else { return "0" }
        switch operand {
        case .string(let text): values.append(.text(text))
        case .int64(let number): values.append(.integer(number))
        case .double(let number): values.append(.real(number))
        case .timestamp(let time): values.append(.integer(time.milliseconds))
        default: return "0"
        }
        return "(\(column) \(sign) ?)"
    }

    /// The column that holds values of the operand's kind; nil when the field has none.
    private static func column(_ field: FilterField, _ operand: FieldValue) -> String? {
        let isText = operand.type == .string
        switch field {
        case .field(let name): return isText ? "\(name)_text" : "\(name)_number"
        case .system(.recordName): return isText ? "name" : nil
        case .system(.createdUserRecordName): return isText ? "creator" : nil
        case .system(.modifiedUserRecordName): return isText ? "modifier" : nil
        case .system(.createdTimestamp): return isText ? nil : "created"
        case .system(.modifiedTimestamp): return isText ? nil : "modified"
        case .searchableTexts: return nil
        }
    }
}
