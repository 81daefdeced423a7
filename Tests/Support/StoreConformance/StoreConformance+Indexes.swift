import CloudModel
import RecordStore
import Testing

extension StoreConformance {
    private static let index = IndexID.equality(field: 1)

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

    static let indexChecks: [Check] = [
        Check("index rows follow their record") { environment in
            try await environment.withStore { store in
                func found(_ keys: [IndexKey]) async throws -> [String] {
                    try await store.read { try names($0, .keys(index, equal: keys, within: [])) }
                }
                func found(words: [String], all: Bool = true) async throws -> [String] {
                    try await store.read { try names($0, .words(words, areAllNeeded: all)) }
                }
                func save(_ name: String, _ index: RecordIndex) async throws {
                    try await store.write { try $0.save(record(name), index: index) }
                }
                try await store.write { try $0.define(type) }
                try await save("a", index([.integer(1), .text("x")], words: ["cat", "dog"]))
                try await save("b", index([.text("x"), .real(0.5)], words: ["cat"]))
                #expect(try await found([.text("x")]) == ["a", "b"])
                #expect(try await found([.integer(1), .real(0.5), .text("x")]) == ["a", "b"])
                #expect(try await found([.real(1)]) == ["a"])
                #expect(try await found(words: ["cat", "dog"]) == ["a"])
                #expect(try await found(words: ["cat", "dog"], all: false) == ["a", "b"])
                #expect(try await found(words: ["ca"]) == [])
                // A decomposed letter is another key than the composed one.
                try await save("a", index([.text("\u{e9}")], words: ["bird"]))
                try await save("a", index([.text("e\u{301}")], words: ["bird"]))
                #expect(try await found([.text("e\u{301}")]) == ["a"])
                #expect(try await found([.text("\u{e9}")]) == [])
                #expect(try await found([.text("x")]) == ["b"])
                #expect(try await found(words: ["cat"]) == ["b"])
                #expect(try await found(words: ["bird"]) == ["a"])
                try await store.write { transaction in
                    for name in ["a", "b"] {
                        try transaction.deleteRecord(
                            record(name).id, at: CommitSequence(99), Timestamp(milliseconds: 0), roots: [])
                    }
                }
                // Its number may be given again; nothing of the old one may cling to it.
                try await save("c", RecordIndex())
                #expect(try await found(words: ["bird"]) == [])
                #expect(try await found([.text("x")]) == [])
                #expect(try await store.read { try names($0) } == ["c"])
            }
        },
        Check("walks go either way and begin anywhere") { environment in
            try await environment.withStore { store in
                try await store.write { transaction in
                    try transaction.define(type)
                    for (name, key) in [("c", 2), ("a", 1), ("b", 2), ("d", 3)] {
                        try transaction.save(record(name), index: index([.integer(Int64(key))]))
                    }
                    try transaction.save(record("e"))
                }
                var numbers: [String: Int64] = [:]
                try await store.read { reader throws in
                    let scan = IndexScan(
                        type: type, database: .public, zones: [.publicDefault], order: .number(isAscending: true))
                    var found: [String: Int64] = [:]
                    try reader.scan(scan) {
                        found[$0.record.id.name.rawValue] = $0.number
                        return true
                    }
                    return found
                }.forEach { numbers[$0.key] = $0.value }
                try await store.read { [numbers] reader throws in
                    let open = IndexKeyRange(lower: nil, upper: nil)
                    func keys(_ isAscending: Bool, _ range: IndexKeyRange? = nil) -> IndexScan.Order {
                        .key(index, range ?? open, isAscending: isAscending)
                    }
                    let (c, b) = (numbers["c"], numbers["b"])
                    #expect(try names(reader, order: keys(true)) == ["a", "c", "b", "d"])
                    #expect(try names(reader, order: keys(false)) == ["d", "b", "c", "a"])
                    #expect(try names(reader, order: keys(true), from: .integer(2)) == ["c", "b", "d"])
                    #expect(try names(reader, order: keys(true), from: .integer(2), after: c) == ["b", "d"])
                    #expect(try names(reader, order: keys(false), from: .integer(2), after: b) == ["c", "a"])
                    let upTo2 = IndexKeyRange(lower: nil, upper: .init(.integer(2), isInclusive: true))
                    #expect(try names(reader, order: keys(true, upTo2)) == ["a", "c", "b"])
                    #expect(try names(reader, order: .name(isAscending: false)) == ["e", "d", "c", "b", "a"])
                    #expect(
                        try names(reader, order: .name(isAscending: true), from: .text("b"), after: b)
                            == ["c", "d", "e"])
                    #expect(try names(reader, order: .lacking(index, isAscending: true)) == ["e"])
                    #expect(try names(reader, order: .number(isAscending: false), after: b) == ["a", "c"])
                }
            }
        },
        Check("keys are ordered: numbers by value, then texts by their bytes") { environment in
            try await environment.withStore { store in
                let keys: [(String, IndexKey)] = [
                    ("a", .text("\u{ff}")), ("b", .integer(2)), ("c", .text("Z")), ("d", .real(1.5)), ("e", .text("a")),
                    ("f", .integer(.min)), ("g", .text("")), ("h", .text("\u{10000}")), ("i", .text("\u{e000}")),
                ]
                try await store.write { transaction in
                    try transaction.define(type)
                    for (name, key) in keys { try transaction.save(record(name), index: index([key])) }
                }
                let range = IndexKeyRange(lower: nil, upper: nil)
                let ascending = try await store.read { try names($0, order: .key(index, range, isAscending: true)) }
                #expect(ascending == ["f", "d", "b", "g", "c", "e", "a", "i", "h"])
            }
        },
        Check("conditions are as large as the store says") { environment in
            try await environment.withStore { store in
                try await store.write { transaction in
                    try transaction.define(type)
                    try transaction.save(record("a"), index: index([.integer(1)]))
                }
                let limits = store.capabilities
                let ranges = (0..<limits.conditionPartsMax).map {
                    IndexKeyRange(lower: .init(.integer(Int64($0)), isInclusive: true), upper: nil)
                }
                let keys = (0..<limits.conditionKeysMax).map { IndexKey.integer(Int64($0)) }
                #expect(try await store.read { try names($0, .keys(index, equal: [], within: ranges)) } == ["a"])
                #expect(try await store.read { try names($0, .keys(index, equal: keys, within: [])) } == ["a"])
                #expect(try await store.read { $0.capabilities } == limits)
            }
        },
    ]
}
