import CloudModel
import RecordStore
import Testing

extension StoreConformance {
    static let batchChecks: [Check] = [
        Check("many records are read at once, each once") { environment in
            try await environment.withStore { store in
                let records = (0..<300).map {
                    record("r\($0)", $0 % 2 == 0 ? .public : .private, body: [UInt8($0 % 256)])
                }
                try await store.write { transaction in
                    try transaction.define(type)
                    for record in records { try transaction.save(record) }
                }
                let asked = records.map(\.id) + [record("none").id, records[0].id, records[1].id]
                try await store.read { reader throws in
                    var visited: [RecordID] = []
                    try reader.records(asked) { visited.append($0.id) }
                    #expect(visited.count == 300 && Set(visited) == Set(records.map(\.id)))
                    let found = try reader.records(asked)
                    #expect(found == Dictionary(uniqueKeysWithValues: records.map { ($0.id, $0) }))
                    #expect(try reader.records([]) == [:])
                    #expect(throws: Refused.self) { try reader.records(asked) { _ in throw Refused() } }
                    #expect(
                        try reader.records([records[7].id]) == [records[7].id: records[7]], "after one that was ended")
                }
            }
        },
        Check("a record's words are those that it was saved with") { environment in
            try await environment.withStore { store in
                try await store.write { transaction in
                    try transaction.define(type)
                    try transaction.save(record("a"), index: RecordIndex(words: ["cat", "dog", "\u{e9}t\u{e9}"]))
                    try transaction.save(record("b"))
                    let words = try transaction.words(of: record("a").id)
                    #expect(words == ["cat", "dog", "\u{e9}t\u{e9}"])
                }
                try await store.write { transaction in
                    try transaction.save(
                        record("a"),
                        index: RecordIndex(
                            entries: [IndexEntry(.equality(field: 1), .text("cat"))], words: ["bird"]))
                }
                try await store.read { reader throws in
                    #expect(try reader.words(of: record("a").id) == ["bird"])
                    for name in ["b", "none"] { #expect(try reader.words(of: record(name).id) == []) }
                    #expect(try reader.words(of: record("a", .private).id) == [])
                }
            }
        },
        Check("links of records and of those above them are read at once") { environment in
            try await environment.withStore { store in
                try await store.write { transaction in
                    try transaction.define(type)
                    try transaction.save(record("top"))
                    for level in 1...5 {
                        try transaction.save(record("l\(level)", parent: level == 1 ? "top" : "l\(level - 1)"))
                    }
                    try transaction.save(record("orphan", parent: "gone"))
                    try transaction.save(record("x", parent: "y"))
                    try transaction.save(record("y", parent: "x"))
                }
                func links(_ names: [String], _ levels: Int) async throws -> [String: ParentLink] {
                    let links = try await store.read {
                        try $0.lineage(of: names.map { record($0).id }, levelsMax: levels)
                    }
                    return Dictionary(uniqueKeysWithValues: links.map { ($0.key.name.rawValue, $0.value) })
                }
                func below(_ name: String) -> ParentLink { .below(RecordName(trusted: name)) }
                #expect(try await links(["top", "none"], 9) == ["top": .top, "none": .missing])
                #expect(
                    try await links(["l3"], 9) == [
                        "l3": below("l2"), "l2": below("l1"), "l1": below("top"), "top": .top,
                    ])
                #expect(try await links(["l3"], 1) == ["l3": below("l2"), "l2": below("l1")])
                #expect(try await links(["l3"], 0) == ["l3": below("l2")])
                #expect(try await links(["orphan"], 9) == ["orphan": below("gone"), "gone": .missing])
                #expect(try await links(["x"], 9) == ["x": below("y"), "y": below("x")])
                #expect(try await links(["l5", "l2"], 2)["l2"] == below("l1"))
            }
        },
        Check("many assets and devices are read at once") { environment in
            try await environment.withStore { store in
                try await store.write { transaction in
                    try transaction.noteUpload("one", size: 1, at: now)
                    try transaction.noteUpload("two", size: 2, at: now)
                    try transaction.countReferences(to: "two", by: 3, at: now)
                    try transaction.addUser(alice, .development("alice"), at: now)
                    try transaction.save(device("phone", alice, 1))
                }
                try await store.read { reader throws in
                    let assets = try reader.assets(["two", "none", "one", "two"])
                    #expect(assets.mapValues(\.references) == ["one": 0, "two": 3])
                    #expect(try reader.asset("two") == assets["two"])
                    #expect(try reader.assets(after: "", limit: 9).map(\.checksum) == ["one", "two"])
                    #expect(try reader.assets(after: "", limit: 1).map(\.checksum) == ["one"])
                    #expect(try reader.assets(after: "one", limit: 9).map(\.references) == [3])
                    #expect(try reader.assets(after: "two", limit: 9).isEmpty)
                    let devices = try reader.devices([DeviceID(trusted: "phone"), DeviceID(trusted: "none")])
                    #expect(devices == [DeviceID(trusted: "phone"): device("phone", alice, 1)])
                }
            }
        },
        Check("an upload counts until it is taken back, or old") { environment in
            try await environment.withStore { store in
                func counted() async throws -> Int64? {
                    try await store.read { try $0.usage(of: alice)[.uploadBytes] }
                }
                try await store.write { transaction in
                    try transaction.addUser(alice, .development("alice"), at: now)
                    for (index, nonce) in ["a", "b", "c"].enumerated() {
                        let time = Timestamp(milliseconds: now.milliseconds + Int64(index))
                        try transaction.addUpload(nonce, of: alice, size: 10, at: time)
                    }
                }
                #expect(try await counted() == 30)
                try await store.write { transaction in
                    try transaction.removeUpload("b")
                    try transaction.removeUpload("b")
                    try transaction.removeUpload("none")
                }
                #expect(try await counted() == 20)
                let used = try await store.read { reader in try ["a", "b", "c"].map { try reader.hasUpload($0) } }
                #expect(used == [true, false, true])
                let removed = try await store.write {
                    try $0.removeUploads(before: Timestamp(milliseconds: now.milliseconds + 2), limit: 9)
                }
                #expect(removed == 1)
                #expect(try await counted() == 10)
            }
        },
    ]
}
