import CloudModel
import RecordStore
import SQLite
import SQLiteRecordStore
import TestSupport
import Testing

/// Index rows beside records, and walks over them.
@Suite struct IndexTests {
    private let folder = TemporaryFolder()
    private static let type = RecordType(trusted: "T")
    private static let index = IndexID.equality(field: 1)

    private func open() throws -> SQLiteRecordStore {
        try SQLiteRecordStore(SQLiteConfiguration(path: folder.path("store.sqlite"), isDurable: false), role: .owner)
    }

    private static func record(_ name: String, zone: ZoneID = .publicDefault) -> StoredRecord {
        StoredRecord(
            id: RecordID(database: .public, zone: zone, name: RecordName(trusted: name)), type: type,
            sequence: CommitSequence(1), body: Array(name.utf8))
    }

    private static func index(_ keys: [IndexKey], words: [String] = []) -> RecordIndex {
        RecordIndex(entries: keys.map { IndexEntry(index, $0) }, words: words)
    }

    private static func names(
        _ reader: any StoreReader, _ condition: IndexCondition? = nil,
        order: IndexScan.Order = .number(isAscending: true),
        from: IndexKey? = nil, after: Int64? = nil
    ) throws -> [String] {
        var names: [String] = []
        let scan = IndexScan(
            type: type, database: .public, zones: [.publicDefault], condition: condition, order: order, from: from,
            after: after)
        try reader.scan(scan) {
            names.append($0.record.id.name.rawValue)
            return true
        }
        return names
    }

    private func rows(_ table: String) throws -> Int64 {
        let connection = try SQLiteConnection.open(
            SQLiteConfiguration(path: folder.path("store.sqlite")), mode: .readOnly)
        return try connection.first("SELECT count(*) FROM \(table)") { $0.integer(0) } ?? -1
    }

    @Test func rowsFollowTheirRecord() async throws {
        let store = try open()
        try await store.write { transaction in
            try transaction.define(Self.type)
            try transaction.save(
                Self.record("a"), index: Self.index([.integer(1), .text("x")], words: ["cat", "dog"]))
            try transaction.save(Self.record("b"), index: Self.index([.text("x"), .real(0.5)], words: ["cat"]))
        }
        #expect(try rows("entries") == 4)
        func found(_ keys: [IndexKey]) async throws -> [String] {
            try await store.read { try Self.names($0, .keys(Self.index, equal: keys, within: [])) }
        }
        func found(words: [String], all: Bool = true) async throws -> [String] {
            try await store.read { try Self.names($0, .words(words, areAllNeeded: all)) }
        }
        #expect(try await found([.text("x")]) == ["a", "b"])
        #expect(try await found([.integer(1), .real(0.5), .text("x")]) == ["a", "b"])
        #expect(try await found([.real(1)]) == ["a"])
        #expect(try await found(words: ["cat", "dog"]) == ["a"])
        #expect(try await found(words: ["cat", "dog"], all: false) == ["a", "b"])
        #expect(try await found(words: ["ca"]) == [])
        // A decomposed letter is another key than the composed one.
        try await store.write { transaction in
            try transaction.save(Self.record("a"), index: Self.index([.text("\u{e9}")], words: ["bird"]))
        }
        try await store.write { transaction in
            try transaction.save(Self.record("a"), index: Self.index([.text("e\u{301}")], words: ["bird"]))
        }
        #expect(try rows("entries") == 3)
        #expect(try await found([.text("e\u{301}")]) == ["a"])
        #expect(try await found([.text("\u{e9}")]) == [])
        #expect(try await found([.text("x")]) == ["b"])
        #expect(try await found(words: ["cat"]) == ["b"])
        #expect(try await found(words: ["bird"]) == ["a"])
        try await store.write { transaction in
            for name in ["a", "b"] {
                try transaction.deleteRecord(
                    Self.record(name).id, at: CommitSequence(99), Timestamp(milliseconds: 0), roots: [])
            }
        }
        #expect(try rows("entries") == 0)
        #expect(try rows("records") == 0)
        // Its number is given again; nothing of the old one may cling to it.
        try await store.write { try $0.save(Self.record("c")) }
        #expect(try await found(words: ["bird"]) == [])
        #expect(try await store.read { try Self.names($0) } == ["c"])
        await store.close()
    }

    /// What is undone leaves no rows.
    @Test func rowsAreInTheTransactionOfTheirRecord() async throws {
        struct Refused: Error {}
        let store = try open()
        try await store.write { try $0.define(Self.type) }
        await #expect(throws: Refused.self) {
            try await store.write { transaction in
                try transaction.save(Self.record("a"), index: Self.index([.integer(1)], words: ["cat"]))
                throw Refused()
            }
        }
        #expect(try rows("entries") == 0)
        #expect(try await store.read { try Self.names($0, .words(["cat"], areAllNeeded: true)) } == [])
        await store.close()
    }

    @Test func walksGoEitherWayAndBeginAnywhere() async throws {
        let store = try open()
        try await store.write { transaction in
            try transaction.define(Self.type)
            for (name, key) in [("c", 2), ("a", 1), ("b", 2), ("d", 3)] {
                try transaction.save(Self.record(name), index: Self.index([.integer(Int64(key))]))
            }
            try transaction.save(Self.record("e"))
        }
        try await store.read { reader throws in
            let open = IndexKeyRange(lower: nil, upper: nil)
            func keys(_ isAscending: Bool, _ range: IndexKeyRange? = nil) -> IndexScan.Order {
                .key(Self.index, range ?? open, isAscending: isAscending)
            }
            #expect(try Self.names(reader, order: keys(true)) == ["a", "c", "b", "d"])
            #expect(try Self.names(reader, order: keys(false)) == ["d", "b", "c", "a"])
            #expect(try Self.names(reader, order: keys(true), from: .integer(2)) == ["c", "b", "d"])
            #expect(try Self.names(reader, order: keys(true), from: .integer(2), after: 1) == ["b", "d"])
            #expect(try Self.names(reader, order: keys(false), from: .integer(2), after: 3) == ["c", "a"])
            let upTo2 = IndexKeyRange(lower: nil, upper: .init(.integer(2), isInclusive: true))
            #expect(try Self.names(reader, order: keys(true, upTo2)) == ["a", "c", "b"])
            #expect(try Self.names(reader, order: .name(isAscending: false)) == ["e", "d", "c", "b", "a"])
            #expect(
                try Self.names(reader, order: .name(isAscending: true), from: .text("b"), after: 3) == ["c", "d", "e"])
            #expect(try Self.names(reader, order: .lacking(Self.index, isAscending: true)) == ["e"])
            #expect(try Self.names(reader, order: .number(isAscending: false), after: 3) == ["a", "c"])
        }
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
