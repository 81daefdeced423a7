import CloudModel
import RecordStore
import Testing

extension StoreConformance {
    static func zone(_ name: String, _ owner: UserRecordName = alice) -> ZoneID {
        ZoneID(name: ZoneName(trusted: name), owner: owner)
    }

    static func record(
        _ name: String, in zone: ZoneID, at sequence: Int64, type: RecordType = type, body: [UInt8] = [1],
        parent: String? = nil
    ) -> StoredRecord {
        StoredRecord(
            id: RecordID(database: .private, zone: zone, name: RecordName(trusted: name)), type: type,
            sequence: CommitSequence(sequence), body: body, parent: parent.map { RecordName(trusted: $0) })
    }

    /// The names of a range of a zone's feed, deleted ones with a minus before.
    private static func feed(
        _ reader: any StoreReader, _ zone: ZoneID, after: Int64 = 0, before: Int64? = nil, deletionsAfter: Int64 = 0,
        types: [RecordType]? = nil, isReverse: Bool = false, bytesMax: Int = .max, limit: Int = 100
    ) throws -> [String] {
        let range = FeedRange(
            after: CommitSequence(after), before: before.map { CommitSequence($0) },
            deletionsAfter: CommitSequence(deletionsAfter), types: types, isReverse: isReverse, bytesMax: bytesMax)
        return try reader.feed(of: zone, in: .private, range, limit: limit).map {
            ($0.body == nil ? "-" : "") + $0.name.rawValue
        }
    }

    static let zoneChecks: [Check] = [
        Check("a zone's feed has each record once, at its last change") { environment in
            try await environment.withStore { store in
                let (z, other) = (zone("z"), RecordType(trusted: "Other"))
                try await store.write { transaction in
                    try transaction.addZone(z, in: .private, at: CommitSequence(1))
                    try transaction.define(type)
                    try transaction.define(other)
                    try transaction.save(record("a", in: z, at: 2, body: [1, 1, 1]))
                    try transaction.save(record("b", in: z, at: 3, type: other))
                    try transaction.save(record("c", in: z, at: 4))
                    try transaction.save(record("a", in: z, at: 5, body: [2, 2, 2]))
                    try transaction.deleteRecord(
                        record("c", in: z, at: 4).id, at: CommitSequence(6), now,
                        roots: ["c", "top"].map { RecordName(trusted: $0) })
                }
                try await store.read { reader throws in
                    #expect(try feed(reader, z) == ["b", "a", "-c"])
                    #expect(try feed(reader, z, after: 3) == ["a", "-c"])
                    #expect(try feed(reader, z, before: 6) == ["b", "a"])
                    #expect(try feed(reader, z, deletionsAfter: 6) == ["b", "a"])
                    #expect(try feed(reader, z, isReverse: true) == ["-c", "a", "b"])
                    #expect(try feed(reader, z, limit: 1) == ["b"])
                    #expect(try feed(reader, z, isReverse: true, limit: 2) == ["-c", "a"])
                    #expect(try feed(reader, z, types: [other]) == ["b"])
                    #expect(try feed(reader, z, types: [type, RecordType(trusted: "Unknown")]) == ["a", "-c"])
                    #expect(try feed(reader, z, types: []) == [])
                    // The one that goes beyond the bytes is the last.
                    #expect(try feed(reader, z, bytesMax: 0) == ["b"])
                    #expect(try feed(reader, z, bytesMax: 1) == ["b", "a"])
                    #expect(try feed(reader, zone("none")) == [])
                    let range = FeedRange(after: CommitSequence(4), deletionsAfter: .zero)
                    let entries = try reader.feed(of: z, in: .private, range, limit: 9)
                    #expect(entries.map(\.sequence) == [CommitSequence(5), CommitSequence(6)])
                    #expect(entries.map(\.body) == [[2, 2, 2], nil])
                    #expect(entries.map { $0.roots.map(\.rawValue) } == [[], ["c", "top"]])
                    #expect(entries.map(\.type) == [type, type])
                    let stored = try #require(try reader.customZone(z, in: .private))
                    #expect(
                        stored
                            == StoredZone(
                                id: z, created: CommitSequence(1), changed: CommitSequence(6), horizon: .zero))
                }
                // A record that is there again is no deletion any more.
                try await store.write { try $0.save(record("c", in: z, at: 7)) }
                #expect(try await store.read { try feed($0, z) } == ["b", "a", "c"])
            }
        },
        Check("old deletions are removed, and the zone remembers up to where") { environment in
            try await environment.withStore { store in
                let z = zone("z")
                try await store.write { transaction in
                    try transaction.addZone(z, in: .private, at: CommitSequence(1))
                    try transaction.define(type)
                    for (index, name) in ["a", "b", "c"].enumerated() {
                        let sequence = Int64(index) + 2
                        try transaction.save(record(name, in: z, at: sequence))
                        try transaction.deleteRecord(
                            record(name, in: z, at: 0).id, at: CommitSequence(sequence + 10),
                            Timestamp(milliseconds: Int64(index)), roots: [])
                    }
                    try transaction.addZoneTombstone(
                        ZoneTombstone(id: zone("lost"), sequence: CommitSequence(20)), of: alice, in: .private,
                        Timestamp(milliseconds: 1))
                }
                func remove(_ limit: Int) async throws -> Int {
                    try await store.write { try $0.removeTombstones(before: Timestamp(milliseconds: 2), limit: limit) }
                }
                #expect(try await remove(1) == 1)
                #expect(try await store.read { try $0.customZone(z, in: .private)?.horizon } == CommitSequence(12))
                #expect(try await remove(10) == 2, "a record's and the zone's")
                try await store.read { reader throws in
                    #expect(try feed(reader, z) == ["-c"])
                    #expect(try reader.customZone(z, in: .private)?.horizon == CommitSequence(13))
                    #expect(try reader.zoneHorizon(of: alice, in: .private) == CommitSequence(20))
                    #expect(try reader.zoneHorizon(of: bob, in: .private) == .zero)
                    #expect(try reader.zoneTombstones(of: alice, in: .private, after: .zero) == [])
                }
                #expect(try await remove(10) == 0)
            }
        },
        Check("custom zones are an owner's, and default zones are none") { environment in
            try await environment.withStore { store in
                try await store.write { transaction in
                    try transaction.addZone(zone("b"), in: .private, at: CommitSequence(1))
                    try transaction.addZone(zone("a"), in: .private, at: CommitSequence(2))
                    try transaction.addZone(zone("a", bob), in: .private, at: CommitSequence(3))
                    try transaction.define(type)
                    try transaction.save(record("r", .private, owner: alice))
                }
                await store.expectRefusal { try $0.addZone(zone("a"), in: .private, at: CommitSequence(4)) }
                try await store.read { reader throws in
                    #expect(try reader.customZones(of: alice, in: .private).map(\.id) == [zone("a"), zone("b")])
                    #expect(try reader.customZoneCount(of: alice, in: .private) == 2)
                    #expect(try reader.customZoneCount(of: alice, in: .public) == 0)
                    #expect(try reader.customZone(zone("b", bob), in: .private) == nil)
                    #expect(try reader.customZone(ZoneID(name: .defaultZone, owner: alice), in: .private) == nil)
                }
            }
        },
        Check("a dropped zone is gone at once, its records a few at a time") { environment in
            try await environment.withStore { store in
                let z = zone("z")
                try await store.write { transaction in
                    try transaction.addZone(z, in: .private, at: CommitSequence(1))
                    try transaction.define(type)
                    for number in 0..<5 {
                        try transaction.save(record("r\(number)", in: z, at: Int64(number) + 2, body: [UInt8(number)]))
                    }
                }
                try await store.write { transaction in
                    try transaction.dropZone(z, in: .private)
                    try transaction.addZoneTombstone(
                        ZoneTombstone(id: z, sequence: CommitSequence(9)), of: alice, in: .private, now)
                }
                try await store.read { reader throws in
                    #expect(try reader.customZone(z, in: .private) == nil)
                    #expect(try reader.record(record("r1", in: z, at: 0).id) == nil)
                    #expect(try feed(reader, z) == [])
                    let lost = ZoneTombstone(id: z, sequence: CommitSequence(9))
                    #expect(try reader.zoneTombstones(of: alice, in: .private, after: CommitSequence(8)) == [lost])
                    #expect(try reader.zoneTombstones(of: alice, in: .private, after: CommitSequence(9)) == [])
                    #expect(try reader.zoneTombstoneCount(of: alice, in: .private) == 1)
                }
                // The name is free again, and removed records are not the new zone's.
                try await store.write { transaction in
                    try transaction.addZone(z, in: .private, at: CommitSequence(10))
                    try transaction.removeZoneTombstone(z, of: alice, in: .private)
                    try transaction.save(record("r1", in: z, at: 11, body: [99]))
                }
                var bodies: [[UInt8]] = []
                while let removed = try await store.write({ try $0.removeDroppedRecords(limit: 2, bytesMax: .max) }) {
                    #expect(removed.owner == alice && removed.bodies.count <= 2)
                    bodies += removed.bodies
                }
                #expect(Set(bodies) == Set((0..<5).map { [UInt8($0)] }) && bodies.count == 5)
                try await store.read { reader throws in
                    #expect(try feed(reader, z) == ["r1"])
                    #expect(try reader.zoneTombstoneCount(of: alice, in: .private) == 0)
                }
            }
        },
        Check("a default zone is emptied at once, and its records come back with the origin") { environment in
            try await environment.withStore { store in
                let z = ZoneID(name: .defaultZone, owner: alice)
                let origin = Origin(user: alice, device: DeviceID(trusted: "phone"), epoch: DeviceEpoch(7))
                try await store.write { transaction in
                    try transaction.define(type)
                    try transaction.emptyZone(z, in: .private, by: origin)
                    for number in 0..<3 {
                        try transaction.save(record("r\(number)", in: z, at: Int64(number) + 2, body: [UInt8(number)]))
                    }
                    try transaction.emptyZone(z, in: .private, by: origin)
                    try transaction.save(record("r1", in: z, at: 9, body: [99]))
                }
                try await store.read { reader throws in
                    #expect(try reader.record(record("r0", in: z, at: 0).id) == nil)
                    #expect(try reader.record(record("r1", in: z, at: 0).id)?.body == [99])
                }
                var bodies: [[UInt8]] = []
                while let removed = try await store.write({ try $0.removeDroppedRecords(limit: 2, bytesMax: .max) }) {
                    #expect(removed.owner == alice && (removed.origin == origin || removed.bodies.isEmpty))
                    bodies += removed.bodies
                }
                #expect(Set(bodies) == [[0], [1], [2]] && bodies.count == 3)
                #expect(try await store.read { try $0.record(record("r1", in: z, at: 0).id) }?.body == [99])
            }
        },
        Check("records name those that they are deleted with") { environment in
            try await environment.withStore { store in
                @Sendable func id(_ name: String) -> RecordID { record(name).id }
                func names(_ target: String) async throws -> [String] {
                    try await store.read { try $0.cascadingReferrers(of: id(target)).map(\.rawValue) }
                }
                let (x, y) = (RecordName(trusted: "x"), RecordName(trusted: "y"))
                try await store.write { transaction in
                    try transaction.define(type)
                    for name in ["x", "b", "a"] { try transaction.save(record(name)) }
                    try transaction.setCascadingReferences(of: id("b"), to: [x, y])
                    try transaction.setCascadingReferences(of: id("a"), to: [x])
                }
                #expect(try await names("x") == ["a", "b"])
                #expect(try await names("y") == ["b"])
                try await store.read { reader throws in
                    #expect(try reader.cascadingReferrerCount(of: id("x"), except: RecordName(trusted: "a")) == 1)
                    #expect(try reader.cascadingReferrerCount(of: id("x"), except: x) == 2)
                }
                try await store.write { try $0.setCascadingReferences(of: id("b"), to: [y]) }
                #expect(try await names("x") == ["a"])
                try await store.write { try $0.deleteRecord(id("a"), at: CommitSequence(9), now, roots: []) }
                #expect(try await names("x") == [])
            }
        },
    ]
}
