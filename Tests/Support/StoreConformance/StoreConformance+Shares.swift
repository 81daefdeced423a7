import CloudModel
import RecordStore
import Testing

extension StoreConformance {
    private static func share(
        _ name: String, in zone: ZoneID, root: String? = nil, guid: String, _ participants: [Share.Participant],
        epoch: Int64 = 1
    ) -> StoredShare {
        StoredShare(
            zone: zone, name: RecordName(trusted: name),
            details: Share(
                root: root.map { RecordName(trusted: $0) }, publicPermission: .readOnly, participants: participants,
                shortGUID: guid), epoch: CommitSequence(epoch))
    }

    private static func participant(
        _ user: UserRecordName, _ permission: Share.Permission = .readWrite, accepted: Int64? = nil,
        role: Share.Participant.Role = .user
    ) -> Share.Participant {
        Share.Participant(
            user: user, permission: permission, role: role, accepted: accepted.map { CommitSequence($0) })
    }

    static let shareChecks: [Check] = [
        Check("shares are found by name, GUID, root and participant") { environment in
            try await environment.withStore { store in
                let z = zone("z")
                let whole = share(
                    "whole", in: z, guid: "G1",
                    [participant(bob, accepted: 7, role: .administrator), participant(carol, .readOnly)], epoch: 3)
                let part = share(
                    "part", in: z, root: "top", guid: "G2",
                    [
                        participant(carol, .readOnly, accepted: 8, role: .publicUser),
                        participant(bob, .none, accepted: 9),
                    ])
                let none = try await store.read { try ($0.hasShares(in: z), $0.share(shortGUID: "G1")) }
                #expect(none.0 == false && none.1 == nil)
                try await store.write { transaction in
                    try transaction.addZone(z, in: .private, at: CommitSequence(1))
                    try transaction.save(whole)
                    try transaction.save(part)
                }
                try await store.read { reader throws in
                    #expect(try reader.share(shortGUID: "G1") == whole)
                    #expect(try reader.share(shortGUID: "g1") == nil)
                    #expect(try reader.share(part.name, in: z) == part)
                    #expect(try reader.share(part.name, in: zone("z", bob)) == nil)
                    #expect(try reader.hasShares(in: z) && !reader.hasShares(in: zone("y")))
                    #expect(try reader.shares(in: z, of: nil) == [whole])
                    #expect(try reader.shares(in: z, of: RecordName(trusted: "top")) == [part])
                    #expect(try reader.shareCounts(in: z) == (2, 4))
                    // A user without a permission is no participant.
                    #expect(try reader.acceptedParticipants(in: z) == [bob, carol])
                    let bobs = try reader.acceptedShares(of: bob, in: nil)
                    #expect(
                        bobs == [
                            AcceptedShare(
                                zone: z, name: whole.name, root: nil, permission: .readWrite,
                                accepted: CommitSequence(7), epoch: CommitSequence(3))
                        ])
                    #expect(try reader.acceptedShares(of: carol, in: z).map(\.name) == [part.name])
                    #expect(try reader.acceptedShares(of: carol, in: zone("y")) == [])
                    #expect(try reader.sharesNaming(carol, limit: 9).map(\.name) == [whole.name, part.name])
                    #expect(try reader.sharesNaming(carol, limit: 1).count == 1)
                }
            }
        },
        Check("a saved share replaces the earlier one") { environment in
            try await environment.withStore { store in
                let z = zone("z")
                try await store.write { transaction in
                    try transaction.addZone(z, in: .private, at: CommitSequence(1))
                    try transaction.save(share("s", in: z, guid: "G", [participant(bob, accepted: 2)]))
                }
                let changed = share(
                    "s", in: z, root: "r", guid: "G", [participant(carol), participant(bob, .readOnly)], epoch: 5)
                try await store.write { try $0.save(changed) }
                try await store.read { reader throws in
                    #expect(try reader.share(shortGUID: "G") == changed, "participants in the order given")
                    #expect(try reader.acceptedShareCount(of: bob) == 0)
                }
                await store.expectRefusal { try $0.save(share("other", in: z, guid: "G", [])) }
                try await store.write { try $0.removeParticipant(bob, from: changed.name, in: z) }
                #expect(
                    try await store.read { try $0.share(shortGUID: "G")?.details.participants.map(\.user) } == [carol])
                try await store.write { try $0.deleteShare(changed.name, in: z) }
                try await store.read { reader throws in
                    #expect(try reader.share(shortGUID: "G") == nil && !reader.hasShares(in: z))
                    #expect(try reader.sharesNaming(carol, limit: 9).isEmpty)
                }
            }
        },
        Check("a zone's shares go with it") { environment in
            try await environment.withStore { store in
                let z = zone("z")
                try await store.write { transaction in
                    try transaction.addZone(z, in: .private, at: CommitSequence(1))
                    try transaction.save(share("s", in: z, guid: "G", [participant(bob, accepted: 2)]))
                }
                try await store.write { try $0.dropZone(z, in: .private) }
                try await store.read { reader throws in
                    #expect(try reader.share(shortGUID: "G") == nil)
                    #expect(try reader.acceptedShares(of: bob, in: nil) == [])
                    #expect(try reader.acceptedShareCount(of: bob) == 0)
                }
            }
        },
        Check("hierarchies are counted level by level, within bounds") { environment in
            try await environment.withStore { store in
                let z = zone("z")
                try await store.write { transaction in
                    try transaction.addZone(z, in: .private, at: CommitSequence(1))
                    try transaction.define(type)
                    for (place, (name, parent)) in [("top", nil), ("a", "top"), ("b", "top"), ("c", "a"), ("d", "c")]
                        .enumerated()
                    {
                        try transaction.save(record(name, in: z, at: Int64(place) + 2, parent: parent))
                    }
                }
                @Sendable func id(_ name: String) -> RecordID { record(name, in: z, at: 0).id }
                try await store.read { reader throws in
                    #expect(try reader.levels(below: id("top"), levelsMax: 9, recordsMax: 9) == (3, 4))
                    #expect(try reader.levels(below: id("top"), levelsMax: 2, recordsMax: 9) == (2, 3))
                    #expect(try reader.levels(below: id("top"), levelsMax: 9, recordsMax: 2).records == 2)
                    #expect(try reader.levels(below: id("d"), levelsMax: 9, recordsMax: 9) == (0, 0))
                    #expect(try reader.hasChildren(id("c")) && !reader.hasChildren(id("d")))
                    let a = RecordName(trusted: "a")
                    #expect(try reader.share(below: nil, in: z) == nil && reader.share(below: a, in: z) == nil)
                    #expect(try reader.child(of: id("top")) { $0 != a }?.rawValue == "b")
                    #expect(try reader.child(of: id("a")) { $0.rawValue != "c" } == nil)
                    #expect(try reader.parentLink(of: id("c")) == .below(RecordName(trusted: "a")))
                    #expect(try reader.parentLink(of: id("top")) == .top)
                    #expect(try reader.parentLink(of: id("none")) == .missing)
                    let names = try reader.recordNames(in: z, of: .private, after: "a", limit: 2)
                    #expect(names.map(\.rawValue) == ["b", "c"])
                }
            }
        },
    ]
}
