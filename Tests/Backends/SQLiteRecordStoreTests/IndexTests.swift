import CloudModel
import RecordStore
import SQLite
import SQLiteRecordStore
import TestSupport
import Testing

/// Index rows in the tables of the store.
@Suite struct IndexTests {
    private let folder = TemporaryFolder()

    private func rows(_ table: String) throws -> Int64 {
        let connection = try SQLiteConnection.open(
            SQLiteConfiguration(path: folder.path("store.sqlite")), mode: .readOnly)
        return try connection.first("SELECT count(*) FROM \(table)") { $0.integer(0) } ?? -1
    }

    /// A save writes the rows that differ; a deletion and an undone save leave none.
    @Test func noRowOutlivesItsRecord() async throws {
        struct Refused: Error {}
        let store = try SQLiteRecordStore(
            SQLiteConfiguration(path: folder.path("store.sqlite"), isDurable: false), role: .owner)
        let type = RecordType(trusted: "T")
        func record(_ name: String) -> StoredRecord {
            StoredRecord(
                id: RecordID(database: .public, zone: .publicDefault, name: RecordName(trusted: name)), type: type,
                sequence: CommitSequence(1), body: [])
        }
        func save(_ name: String, _ keys: [IndexKey], _ words: [String], isUndone: Bool = false) async throws {
            let saved = record(name)
            let entries = keys.map { IndexEntry(.equality(field: 1), $0) }
            try await store.write {
                try $0.save(saved, index: RecordIndex(entries: entries, words: words))
                if isUndone { throw Refused() }
            }
        }
        try await store.write { try $0.define(type) }
        try await save("a", [.integer(1), .text("x")], ["cat", "dog"])
        try await save("b", [.text("x"), .real(0.5)], ["cat"])
        #expect(try rows("entries") == 4)
        try await save("a", [.text("e\u{301}")], ["bird"])
        #expect(try rows("entries") == 3)
        await #expect(throws: Refused.self) { try await save("c", [.integer(1)], ["cat"], isUndone: true) }
        #expect(try rows("entries") == 3)
        for name in ["a", "b"] {
            let id = record(name).id
            try await store.write {
                try $0.deleteRecord(id, at: CommitSequence(99), Timestamp(milliseconds: 0), roots: [])
            }
        }
        #expect(try rows("entries") == 0)
        #expect(try rows("records") == 0)
        await store.close()
    }

    @Test(arguments: ["a", "\u{d7ff}", "\u{10ffff}", "a\u{10ffff}", ""]) func aPrefixIsARangeOfTexts(_ prefix: String) {
        let range = IndexKeyRange(prefix: prefix)
        #expect(range.lower?.key == .text(prefix))
        if case .text(let upper)? = range.upper?.key {
            #expect((prefix + "\u{10ffff}\u{10ffff}").utf8.lexicographicallyPrecedes(upper.utf8))
        } else {
            #expect(prefix.unicodeScalars.allSatisfy { $0 == "\u{10ffff}" })
        }
    }
}
