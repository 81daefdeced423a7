import CloudModel
import RecordStore
import SQLite

/// The SQL of one walk, with the values of its parameters.
struct ScanStatement {
    private(set) var sql = ""
    private(set) var values: [SQLiteValue] = []
    private let type: Int64
    private let zones: [Int64]

    /// - Parameter zones: not empty.
    init(type: Int64, zones: [Int64]) {
        self.type = type
        self.zones = zones
    }

    /// Selects number, key, zone, name, sequence and body of each record.
    mutating func select(_ scan: IndexScan) {
        switch scan.order {
        case .number(let isAscending): selectByNumber(scan, isAscending)
        case .key(let index, let range, let isAscending): selectByKey(scan, index, range, isAscending)
        case .name(let isAscending): selectByName(scan, isAscending)
        case .lacking(let index, let isAscending):
            selectOfType(scan, isAscending)
            append(" AND r.id NOT IN (SELECT record FROM entries WHERE \"index\" = ?", .integer(index.rawValue))
            append(" AND ")
            appendZones("zone")
            append(") ORDER BY r.id" + direction(isAscending))
        }
    }

    /// Counts what a condition finds, up to a limit.
    mutating func count(_ condition: IndexCondition, limit: Int) {
        append("SELECT count(*) FROM (")
        self.condition(condition, isDistinct: false)
        append(" LIMIT ?)", .integer(Int64(limit)))
    }

    private static let columns = ", r.zone, r.name, r.sequence, r.body FROM "

    /// `+` keeps SQLite from choosing another index than the one meant.
    private mutating func selectByNumber(_ scan: IndexScan, _ isAscending: Bool) {
        switch scan.condition {
        case nil: selectOfType(scan, isAscending)
        case .keys(let index, equal: let keys, within: let ranges)?
        where keys.count == 1 && ranges.isEmpty && zones.count == 1:
            append("SELECT r.id, NULL" + Self.columns + "entries e CROSS JOIN records r ON r.id = e.record")
            append(" WHERE e.\"index\" = ?", .integer(index.rawValue))
            append(" AND e.zone = ?", .integer(zones[0]))
            append(" AND e.key = ?", value(keys[0]))
            append(" AND +r.type = ?", .integer(type))
            if let after = scan.after { append(" AND e.record \(isAscending ? ">" : "<") ?", .integer(after)) }
            append(" ORDER BY e.record" + direction(isAscending))
            return
        case let condition?:
            append("SELECT r.id, NULL" + Self.columns + "(")
            self.condition(condition, isDistinct: true)
            append(") c CROSS JOIN records r ON r.id = c.record WHERE +r.type = ?", .integer(type))
            if let after = scan.after { append(" AND c.record \(isAscending ? ">" : "<") ?", .integer(after)) }
            append(" ORDER BY c.record" + direction(isAscending))
            return
        }
        append(" ORDER BY r.id" + direction(isAscending))
    }

    private mutating func selectOfType(_ scan: IndexScan, _ isAscending: Bool) {
        append(
            "SELECT r.id, NULL" + Self.columns + "records r INDEXED BY records_of_type WHERE r.type = ?", .integer(type)
        )
        append(" AND ")
        appendZones("r.zone")
        if let after = scan.after { append(" AND r.id \(isAscending ? ">" : "<") ?", .integer(after)) }
    }

    private mutating func selectByKey(
        _ scan: IndexScan, _ index: IndexID, _ range: IndexKeyRange, _ isAscending: Bool
    ) {
        append("SELECT r.id, e.key" + Self.columns + "entries e CROSS JOIN records r ON r.id = e.record WHERE ")
        keys(index, range, column: "e.")
        appendStart(scan, key: "e.key", number: "e.record", isAscending)
        append(" ORDER BY e.key\(direction(isAscending)), e.record\(direction(isAscending))")
    }

    private mutating func selectByName(_ scan: IndexScan, _ isAscending: Bool) {
        append("SELECT r.id, r.name" + Self.columns + "records r WHERE +r.type = ?", .integer(type))
        append(" AND ")
        appendZones("r.zone")
        appendStart(scan, key: "r.name", number: "r.id", isAscending)
        append(" ORDER BY r.name\(direction(isAscending)), r.id\(direction(isAscending))")
    }

    private mutating func appendStart(_ scan: IndexScan, key: String, number: String, _ isAscending: Bool) {
        guard let from = scan.from else { return }
        let comparison = isAscending ? ">" : "<"
        append(" AND \(key) \(comparison)= ?", value(from))
        if let after = scan.after {
            append(" AND (\(key), \(number)) \(comparison) (?, ", value(from))
            append("?)", .integer(after))
        }
    }

    // MARK: Conditions

    private mutating func condition(_ condition: IndexCondition, isDistinct: Bool) {
        switch condition {
        case .keys(let index, let equal, let ranges):
            var parts: [(inout ScanStatement) -> Void] = []
            if !equal.isEmpty { parts.append { $0.keys(index, equal) } }
            for range in ranges {
                parts.append {
                    $0.append("SELECT record FROM entries WHERE ")
                    $0.keys(index, range, column: "")
                }
            }
            union(parts, isDistinct)
        case .names(let names):
            append("SELECT id AS record FROM records WHERE ")
            appendZones("zone")
            appendList(" AND name", names.map { .text($0.rawValue) })
        case .words(let words, let areAllNeeded):
            append("SELECT rowid AS record FROM words WHERE words MATCH ?", .text(match(words, areAllNeeded)))
        case .any(let conditions):
            union(
                conditions.map { part in
                    {
                        $0.append("SELECT record FROM (")
                        $0.condition(part, isDistinct: isDistinct)
                        $0.append(")")
                    }
                }, isDistinct)
        }
    }

    /// SQLite takes 500 parts in one union at most (`SQLiteRecordStore.limits`).
    private mutating func union(_ parts: [(inout ScanStatement) -> Void], _ isDistinct: Bool) {
        guard !parts.isEmpty else {
            append("SELECT 0 AS record WHERE 0")
            return
        }
        if isDistinct { append("SELECT DISTINCT record FROM (") }
        for (offset, part) in parts.enumerated() {
            if offset > 0 { append(" UNION ALL ") }
            part(&self)
        }
        if isDistinct { append(")") }
    }

    private mutating func keys(_ index: IndexID, _ equal: [IndexKey]) {
        append("SELECT record FROM entries WHERE \"index\" = ?", .integer(index.rawValue))
        append(" AND ")
        appendZones("zone")
        appendList(" AND key", equal.map { value($0) })
    }

    private mutating func keys(_ index: IndexID, _ range: IndexKeyRange, column: String) {
        append("\(column)\"index\" = ?", .integer(index.rawValue))
        append(" AND ")
        appendZones("\(column)zone")
        if let lower = range.lower {
            append(" AND \(column)key >\(lower.isInclusive ? "=" : "") ?", value(lower.key))
        }
        if let upper = range.upper {
            append(" AND \(column)key <\(upper.isInclusive ? "=" : "") ?", value(upper.key))
        }
    }

    /// FTS5's query, in each of the zones.
    private func match(_ words: [String], _ areAllNeeded: Bool) -> String {
        zones.map { zone in
            let scope = SQLiteTransaction.scope(type, zone)
            return "(" + words.map { "\"\(scope)\($0)\"" }.joined(separator: areAllNeeded ? " AND " : " OR ") + ")"
        }.joined(separator: " OR ")
    }

    // MARK: Text

    private mutating func append(_ text: String, _ value: SQLiteValue? = nil) {
        sql += text
        if let value { values.append(value) }
    }

    private mutating func appendZones(_ column: String) { appendList(column, zones.map { .integer($0) }) }

    private mutating func appendList(_ column: String, _ list: [SQLiteValue]) {
        if list.count == 1 {
            append(column + " = ?", list[0])
        } else {
            append(column + " IN (" + Array(repeating: "?", count: list.count).joined(separator: ", ") + ")")
            values += list
        }
    }

    private func direction(_ isAscending: Bool) -> String { isAscending ? "" : " DESC" }

    private func value(_ key: IndexKey) -> SQLiteValue {
        switch key {
        case .integer(let number): .integer(number)
        case .real(let number): .real(number)
        case .text(let text): .text(text)
        }
    }
}
