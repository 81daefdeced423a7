import CloudModel
import RecordStore
import SQLite

extension SQLiteTransaction {
    /// A record's row, as far as replacing it needs it.
    private struct Row {
        var number: Int64
        var type: Int64
        var indexed: [UInt8]
    }

    /// Bytes of a body from which on a record is looked for before it is inserted.
    private static let largeBytes = 16 << 10

    func save(_ record: StoredRecord, index: RecordIndex) throws {
        let zone = try numbers.addZone(record.id.zone, in: record.id.database)
        guard let type = try numbers.type(record.type) else {
            throw StoreError.refused(
                "the schema does not know the type \(record.type) of the record \(record.id.name)")
        }
        let indexed = StoredIndex.encoded(index)
        if record.id.hasFeed {
            try connection.run(
                "DELETE FROM tombstones WHERE zone = ? AND name = ?", .integer(zone), .text(record.id.name.rawValue))
        }
        // Most records are new: the insert shows whether one is. Of a large one it costs more than to look.
        let isLarge = record.body.count >= Self.largeBytes
        let known = isLarge ? try row(zone, record.id.name) : nil
        if known == nil, let number = try insert(record, zone, type, indexed) {
            for entry in index.entries { try addEntry(entry.index.rawValue, zone, entry.key, number) }
            if !index.words.isEmpty { try addWords(index.words.joined(separator: " "), type, zone, number) }
            return
        }
        guard let row = try known ?? row(zone, record.id.name) else { return }
        try update(record, row.number, type, indexed)
        if row.indexed != indexed || row.type != type { try replaceIndex(of: row, by: index, type, zone) }
    }

    func deleteRecord(_ id: RecordID, at sequence: CommitSequence, _ time: Timestamp, roots: [RecordName]) throws {
        guard let zone = try numbers.zone(id.zone, in: id.database), let row = try row(zone, id.name) else { return }
        if id.hasFeed {
            try connection.run(
                "INSERT INTO tombstones (zone, sequence, name, type, time, roots) VALUES (?, ?, ?, ?, ?, ?)",
                .integer(zone), .integer(sequence.rawValue), .text(id.name.rawValue), .integer(row.type),
                .integer(time.milliseconds), .text(roots.map(\.rawValue).joined(separator: "\n")))
        }
        try replaceIndex(of: row, by: RecordIndex(), row.type, zone)
        try connection.run("DELETE FROM records WHERE id = ?", .integer(row.number))
    }

    /// Deletes some records of a zone with their index rows, and leaves no tombstones; returns their bodies.
    func removeRecords(ofZone zone: Int64, limit: Int, bytesMax: Int) throws -> [[UInt8]] {
        var found: [(row: Row, body: [UInt8])] = []
        var bytes = 0
        let statement = try connection.statement("SELECT id, type, indexed, body FROM records WHERE zone = ? LIMIT ?")
        try statement.bind([.integer(zone), .integer(Int64(limit))])
        while bytes < bytesMax, try statement.step() {
            let row = Row(number: statement.integer(0), type: statement.integer(1), indexed: statement.blob(2))
            found.append((row, statement.blob(3)))
            bytes += found.last!.body.count
        }
        statement.reset()
        for (row, _) in found {
            try replaceIndex(of: row, by: RecordIndex(), row.type, zone)
            try connection.run("DELETE FROM records WHERE id = ?", .integer(row.number))
        }
        return found.map(\.body)
    }

    private func row(_ zone: Int64, _ name: RecordName) throws -> Row? {
        try connection.first(
            "SELECT id, type, indexed FROM records WHERE zone = ? AND name = ?", .integer(zone), .text(name.rawValue)
        ) { Row(number: $0.integer(0), type: $0.integer(1), indexed: $0.blob(2)) }
    }

    /// Inserts a record; nil when there is one of its name.
    private func insert(_ record: StoredRecord, _ zone: Int64, _ type: Int64, _ indexed: [UInt8]) throws -> Int64? {
        let statement = try connection.statement(
            """
            INSERT INTO records (zone, name, type, sequence, body, indexed, has_feed, parent) VALUES (?, ?, ?, ?, ?, ?, ?, ?)
            ON CONFLICT (zone, name) DO NOTHING
            """)
        try statement.bind(zone, at: 1)
        try statement.bind(record.id.name.rawValue, at: 2)
        try statement.bind(type, at: 3)
        try statement.bind(record.sequence.rawValue, at: 4)
        try statement.bind(indexed, at: 6)
        try statement.bind(Int64(record.id.hasFeed ? 1 : 0), at: 7)
        if let parent = record.parent {
            try statement.bind(parent.rawValue, at: 8)
        } else {
            try statement.bindNull(at: 8)
        }
        try statement.execute(record.body, at: 5)
        return connection.changes > 0 ? connection.lastInsertedRow : nil
    }

    private func update(_ record: StoredRecord, _ number: Int64, _ type: Int64, _ indexed: [UInt8]) throws {
        let statement = try connection.statement(
            "UPDATE records SET type = ?, sequence = ?, body = ?, indexed = ?, parent = ? WHERE id = ?")
        try statement.bind(type, at: 1)
        try statement.bind(record.sequence.rawValue, at: 2)
        try statement.bind(indexed, at: 4)
        try statement.bind(number, at: 6)
        if let parent = record.parent {
            try statement.bind(parent.rawValue, at: 5)
        } else {
            try statement.bindNull(at: 5)
        }
        try statement.execute(record.body, at: 3)
    }

    /// Writes the rows that differ, and takes away those that are over.
    private func replaceIndex(of row: Row, by index: RecordIndex, _ type: Int64, _ zone: Int64) throws {
        let old = StoredIndex.decoded(row.indexed)
        let new = index.entries.map { StoredIndex.Row(index: $0.index.rawValue, key: $0.key) }
        let (oldRows, newRows) = (Set(old.rows), Set(new))
        for entry in old.rows where !newRows.contains(entry) {
            try removeEntry(entry.index, zone, entry.key, row.number)
        }
        for entry in new where !oldRows.contains(entry) { try addEntry(entry.index, zone, entry.key, row.number) }
        let words = index.words.joined(separator: " ")
        guard !words.utf8.elementsEqual(old.words.utf8) || type != row.type else { return }
        if !old.words.isEmpty { try removeWords(old.words, row.type, zone, row.number) }
        if !words.isEmpty { try addWords(words, type, zone, row.number) }
    }

    private func addEntry(_ index: Int64, _ zone: Int64, _ key: IndexKey, _ number: Int64) throws {
        pending.entries.append(PendingRows.Entry(index: index, zone: zone, key: key, record: number))
        if pending.entries.count >= PendingRows.entriesMax { try settleEntries() }
    }

    private func removeEntry(_ index: Int64, _ zone: Int64, _ key: IndexKey, _ number: Int64) throws {
        try settleEntries()
        let statement = try connection.statement(
            "DELETE FROM entries WHERE \"index\" = ? AND zone = ? AND key = ? AND record = ?")
        try statement.bind(index, at: 1)
        try statement.bind(zone, at: 2)
        try statement.bind(key: key, at: 3)
        try statement.bind(number, at: 4)
        try statement.execute()
    }

    private func addWords(_ words: String, _ type: Int64, _ zone: Int64, _ number: Int64) throws {
        try countWords(words)
        try connection.run(
            "INSERT INTO words (rowid, text) VALUES (?, ?)", .integer(number), .text(Self.scoped(words, type, zone)))
    }

    /// FTS5 without content needs the words to remove.
    private func removeWords(_ words: String, _ type: Int64, _ zone: Int64, _ number: Int64) throws {
        try countWords(words)
        try connection.run(
            "INSERT INTO words (words, rowid, text) VALUES ('delete', ?, ?)", .integer(number),
            .text(Self.scoped(words, type, zone)))
    }

    private func countWords(_ words: String) throws {
        try connection.moved.add(words.utf8.count { $0 == UInt8(ascii: " ") } * Limits.wordBytes)
    }

    /// Each word with its type and zone before it, so that a search meets no others.
    private static func scoped(_ words: String, _ type: Int64, _ zone: Int64) -> String {
        let scope = Self.scope(type, zone)
        return words.split(separator: " ").map { scope + $0 }.joined(separator: " ")
    }

    /// The prefix of a word, which limits a search to a type and zone.
    static func scope(_ type: Int64, _ zone: Int64) -> String { "t\(type)z\(zone)w" }
}

extension RecordID {
    /// True if the record's zone has a change feed: custom zones have one.
    fileprivate var hasFeed: Bool { zone.name != .defaultZone }
}
