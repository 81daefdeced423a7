import CloudModel
import RecordStore
import Testing

extension StoreConformance {
    private static func id(_ name: String) -> RecordID { record(name).id }

    /// Records of the public database, with their creators and with links to others.
    private static func save(
        _ records: [(name: String, creator: UserRecordName, kind: RecordLink?, target: String)],
        in store: any RecordStore
    ) async throws {
        try await store.write { transaction in
            try transaction.define(type)
            for (name, creator, kind, target) in records {
                try transaction.save(record(name))
                try transaction.setCreator(creator, of: id(name))
                guard let kind else { continue }
                try transaction.setLinks(kind, of: id(name), createdBy: creator, to: [RecordName(trusted: target)])
                guard kind == .deleteSelf else { continue }
                try transaction.setCascadingReferences(of: id(name), to: [RecordName(trusted: target)])
            }
        }
    }

    static let creatorChecks: [Check] = [
        Check("links are counted by the creator of the linking record") { environment in
            try await environment.withStore { store in
                try await save(
                    [
                        ("x", alice, nil, ""), ("a1", alice, .deleteSelf, "x"), ("a2", alice, .deleteSelf, "x"),
                        ("b1", bob, .deleteSelf, "x"), ("p1", alice, .parent, "x"), ("p2", alice, .parent, "p1"),
                        ("q", bob, .parent, "x"), ("p3", alice, .parent, "q"),
                    ], in: store)
                try await store.read { reader throws in
                    #expect(try reader.typeAndCreator(of: id("b1"))?.creator == bob)
                    #expect(try reader.typeAndCreator(of: id("b1"))?.type == type)
                    #expect(try reader.typeAndCreator(of: id("none")) == nil)
                    let x = id("x")
                    #expect(try reader.cascadingReferrers(of: x, createdBy: alice).map(\.rawValue) == ["a1", "a2"])
                    let a1 = RecordName(trusted: "a1")
                    #expect(try reader.cascadingReferrerCount(of: x, except: a1, createdBy: alice) == 1)
                    #expect(try reader.cascadingReferrerCount(of: x, except: a1, createdBy: bob) == 1)
                    #expect(try reader.cascadingReferrerCount(of: x, except: a1, createdBy: carol) == 0)
                    #expect(try reader.child(of: x, createdBy: alice) { $1 == type }?.rawValue == "p1")
                    #expect(try reader.child(of: x, createdBy: bob) { name, _ in name.rawValue != "q" } == nil)
                    #expect(try reader.child(of: x, createdBy: carol) { _, _ in true } == nil)
                    #expect(try reader.levels(below: x, createdBy: alice, levelsMax: 9, recordsMax: 9) == (2, 2))
                    #expect(try reader.levels(below: x, createdBy: alice, levelsMax: 9, recordsMax: 1) == (1, 1))
                    #expect(try reader.levels(below: x, createdBy: alice, levelsMax: 1, recordsMax: 9) == (1, 1))
                    #expect(try reader.levels(below: x, createdBy: bob, levelsMax: 9, recordsMax: 9) == (1, 1))
                }
                try await store.write { transaction in
                    try transaction.setLinks(.parent, of: id("p1"), createdBy: alice, to: [])
                    try transaction.deleteRecord(id("a1"), at: CommitSequence(9), now, roots: [])
                    try transaction.setCreator(carol, of: id("x"))
                }
                try await store.read { reader throws in
                    #expect(try reader.levels(below: id("x"), createdBy: alice, levelsMax: 9, recordsMax: 9) == (0, 0))
                    #expect(try reader.cascadingReferrers(of: id("x"), createdBy: alice).map(\.rawValue) == ["a2"])
                    #expect(try reader.typeAndCreator(of: id("x"))?.creator == alice, "the first one stays")
                }
            }
        },
        Check("due deletions are taken in steps, by number and bytes, and survive", needs: [.reopening]) {
            environment in
            let origin = Origin(user: alice, device: DeviceID(trusted: "d"), epoch: DeviceEpoch(7))
            try await environment.withStore { store in
                try await save((0..<5).map { ("b\($0)", bob, .deleteSelf, "x") }, in: store)
                try await store.write { transaction in
                    #expect(try transaction.hasCascadingReferrers(id("x")))
                    #expect(try !transaction.hasDueDeletions())
                    // Records of the checks have the sequence 5; one was saved later.
                    var later = record("b1")
                    later.sequence = CommitSequence(7)
                    try transaction.save(later)
                    try transaction.addDueDeletions(with: id("x"), at: CommitSequence(6), by: origin)
                }
                let first = try await store.write { try $0.takeDueDeletions(limit: 2, bytesMax: .max) }
                #expect(first == DueDeletions(origin: origin, referrers: [RecordName(trusted: "b0")]))
            }
            try await environment.withStore { store in
                var names: [String] = []
                while let due = try await store.write({ try $0.takeDueDeletions(limit: 10, bytesMax: 1) }) {
                    #expect(due.referrers.count <= 1 && due.origin == origin)
                    names += due.referrers.map(\.rawValue)
                }
                #expect(names == ["b2", "b3", "b4"])
                #expect(try await store.read { try !$0.hasDueDeletions() })
            }
        },
    ]
}
