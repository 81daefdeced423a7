import CloudMessages
import CloudModel
import ProtocolBuffers
import RecordStore
import SQLiteRecordStore
import TestSupport
import Testing

@testable import RecordService

/// What one user builds does not hold up others: parents, shares, participants, cascades, zones that are deleted.
@Suite struct BoundedWorkTests {
    private static func record(_ name: String, below parent: String?) -> RecordOperation {
        var operation = RecordOperation.on(name, .forceUpdate)
        operation.parent = .some(parent.map { RecordName(trusted: $0) })
        return operation
    }

    /// A chain whose last record has `depth` above it.
    private static func chain(_ prefix: String, _ depth: Int) -> [RecordOperation] {
        (0...depth).map { record("\(prefix)\($0)", below: $0 == 0 ? nil : "\(prefix)\($0 - 1)") }
    }

    @Test func aChainOfParentsHasALimit() async throws {
        let rig = try await RecordServiceRig()
        let limit = Limits.parentDepthMax
        let saved = try await rig.service.modifyRecords(Self.chain("c", limit), in: .private, for: rig.alice)
        #expect(saved.allSatisfy { !$0.isFailure })
        let refused = try await rig.apply(Self.record("more", below: "c\(limit)"), in: .private)
        #expect(refused.code == .quotaExceeded)
        #expect(refused.error?.reason.contains("\(limit)") == true)
        #expect(try await rig.apply(Self.record("c\(limit)", below: "c\(limit - 1)"), in: .private).code == nil)
        #expect(try await rig.apply(Self.record("c0", below: "c\(limit)"), in: .private).code == .badRequest)
    }

    /// Descendants of a record count when the record moves, and when it comes between others.
    @Test func aMovedSubtreeCountsWithAllItsLevels() async throws {
        let rig = try await RecordServiceRig()
        for chain in [Self.chain("a", 60), Self.chain("b", 40)] {
            _ = try await rig.service.modifyRecords(chain, in: .private, for: rig.alice)
        }
        #expect(try await rig.apply(Self.record("b0", below: "a60"), in: .private).code == .quotaExceeded)
        #expect(try await rig.apply(Self.record("b0", below: "a59"), in: .private).code == nil)
        try await rig.removeAsBefore("a30", in: ZoneID(name: .defaultZone, owner: rig.alice.user!))
        #expect(try await rig.apply(Self.record("x", below: nil), in: .private).code == nil)
        #expect(try await rig.apply(Self.record("a30", below: "x"), in: .private).code == nil)
    }

    /// A store from before the limit: what lies too deep is served to its owner, and can be taken apart.
    @Test func deeperChainsOfOldStoresStayReadable() async throws {
        let rig = try await RecordServiceRig()
        let zone = ZoneID(name: .defaultZone, owner: rig.alice.user!)
        _ = try await rig.apply(Self.record("c0", below: nil), in: .private)
        let body = try #require(
            try await rig.service.store.read {
                try $0.record(RecordID(database: .private, zone: zone, name: RecordName(trusted: "c0")))
            })
        try await rig.service.store.write { transaction in
            for n in 1...5000 {
                var record = try RecordMessage(decoding: body.body).record()
                record.name = RecordName(trusted: "c\(n)")
                record.parent = RecordName(trusted: "c\(n - 1)")
                try transaction.save(
                    StoredRecord(
                        id: RecordID(database: .private, zone: zone, name: record.name), type: record.type,
                        sequence: try transaction.nextSequence(), body: RecordMessage(record).encoded(),
                        parent: record.parent))
            }
        }
        #expect(try await rig.lookUp("c5000", in: .private) != nil)
        #expect(try await rig.apply(Self.record("new", below: "c5000"), in: .private).code == .quotaExceeded)
        #expect(try await rig.apply(.on("c5000", .forceUpdate, ["n": .int64(1)]), in: .private).code == nil)
        #expect(try await rig.apply(Self.record("c5000", below: nil), in: .private).code == nil)
        #expect(try await rig.apply(.on("c4999", .forceDelete), in: .private).code == nil)
    }

    /// What lies deeper than the limit below a shared record is not shared, and nobody walks further.
    @Test func sharingReachesAsFarAsParents() async throws {
        let rig = try await RecordServiceRig()
        _ = try await rig.zone(.create, "z")
        let limit = Limits.parentDepthMax
        for start in stride(from: 0, through: limit, by: 100) {
            let operations = (start...min(limit, start + 99)).map {
                Self.record("c\($0)", below: $0 == 0 ? nil : "c\($0 - 1)")
            }
            _ = try await rig.service.modifyRecords(operations, in: .private, zone: "z", for: rig.alice)
        }
        var share = RecordOperation.on("s", .forceUpdate, type: nil)
        share.recordType = .share
        share.share = GivenShare(
            root: RecordName(trusted: "c0"),
            participants: [GivenShare.Participant(user: rig.bob.user!, permission: .readWrite)])
        let saved = try await rig.apply(share, in: .private, zone: "z")
        let guid = try #require(saved.record?.shareDetails?.shortGUID, "\(saved)")
        _ = try await rig.service.acceptShares([guid], for: rig.bob)
        let zone = GivenZone(name: ZoneName(trusted: "z"), owner: rig.alice.user)
        #expect(try await rig.lookUp("c\(limit)", in: .shared, zone: zone, as: rig.bob) != nil)
        #expect(try await rig.lookUp("c\(limit / 2)", in: .shared, zone: zone, as: rig.bob) != nil)
        let changes = try await rig.changes().count
        #expect(try await rig.apply(.touch("c\(limit)"), in: .private, zone: "z").code == nil)
        #expect(try await rig.changes().count == changes + 2, "the participant is notified")
    }

    @Test func aZoneHasSoManyParticipants() async throws {
        let rig = try await RecordServiceRig()
        _ = try await rig.zone(.create, "z")
        func share(_ number: Int, _ people: Range<Int>) async throws -> Outcome {
            _ = try await rig.apply(.on("r\(number)", .forceUpdate), in: .private, zone: "z")
            var share = RecordOperation.on("s\(number)", .forceUpdate, type: nil)
            share.recordType = .share
            share.share = GivenShare(
                root: RecordName(trusted: "r\(number)"),
                participants: people.map {
                    GivenShare.Participant(user: UserRecordName(trusted: "_p\($0)"), permission: .readOnly)
                })
            return try await rig.apply(share, in: .private, zone: "z")
        }
        let full = Limits.participantsPerZoneMax / Limits.participantsMax
        for number in 0..<full {
            #expect(try await share(number, number * 100..<number * 100 + 100).code == nil)
        }
        #expect(try await share(full, 0..<1).code == .quotaExceeded)
        #expect(try await share(full, 0..<0).code == nil)
    }

    /// However many take part, a change of the shared database fits into a message (finding 21).
    @Test func aChangeForManyParticipantsBecomesSeveral() async throws {
        let people = (0..<25).map { UserRecordName(trusted: "_p\($0)") }
        #expect(people.parts(of: 10).map(\.count) == [10, 10, 5])
        #expect(people.parts(of: 10).flatMap { $0 } == people)
        #expect([Int]().parts(of: 10).isEmpty)
        let name = UserRecordName(trusted: "_" + String(repeating: "a", count: Limits.nameCharactersMax))
        let bytes = Limits.participantsPerChangeMax * (name.rawValue.utf8.count + 4) + 2 * Limits.recordBytesMax
        let usual = Limits.participantsPerChangeMax * 40 + 2 * Limits.recordBytesMax
        #expect(usual < Limits.messageBytesMax - (1 << 20))
        #expect(bytes > 0)
    }

    /// The user of an address is made with the share, not with the attempt.
    @Test func aShareThatIsRefusedInvitesNobody() async throws {
        let rig = try await RecordServiceRig()
        _ = try await rig.zone(.create, "z")
        func share(_ root: String) async throws -> Outcome {
            var share = RecordOperation.on("s", .forceUpdate, type: nil)
            share.recordType = .share
            share.share = GivenShare(
                root: RecordName(trusted: root),
                participants: [GivenShare.Participant(person: .emailAddress("new@example.com"), permission: .readOnly)])
            return try await rig.apply(share, in: .private, zone: "z")
        }
        #expect(try await share("missing").code == .validatingReferenceError)
        #expect(try await rig.service.store.read { try $0.user(.invited("new@example.com")) } == nil)
        _ = try await rig.apply(.on("r", .forceUpdate), in: .private, zone: "z")
        #expect(try await share("r").code == nil)
        #expect(try await rig.service.store.read { try $0.user(.invited("new@example.com")) } != nil)
    }

    /// All deletions of a request together take no more along than one may, in number and in bytes.
    @Test func cascadesOfARequestAddUp() async throws {
        let rig = try await RecordServiceRig()
        for target in ["a", "b"] {
            _ = try await rig.apply(.on(target, .create), in: .private)
            for n in 0..<3 {
                _ = try await rig.apply(
                    .on("\(target)\(n)", .create, ["up": reference(target, .deleteSelf)]), in: .private)
            }
        }
        var few = BatchRoom()
        few.cascadedRecords = 5
        // A cascade of three takes some 3 * 256 bytes and the records twice.
        for room in [few, BatchRoom(ExceededLimit("movedBytesMax", 12_000))] {
            let results = try await rig.service.commit(in: .whole) { [rig] commit in
                let origin = Origin(user: rig.alice.user!, device: nil, epoch: nil)
                let zone = ZoneID(name: .defaultZone, owner: origin.user)
                let batch = RecordBatch(
                    rig.service.zone(zone, in: .private, of: origin, commit),
                    assets: AssetLedger(
                        storage: nil, scope: rig.service.scope, database: .private, user: origin.user,
                        time: commit.time))
                var run = BatchRun(["a", "b"].map { .on($0, .forceDelete) }, room: room)
                try batch.apply(&run)
                return run.all
            }
            #expect(results.map { Outcome($0).code } == [nil, .quotaExceeded])
            #expect(try await rig.lookUp("b2", in: .private) != nil, "an operation that fails leaves all as it was")
            _ = try await rig.apply(.on("a", .create), in: .private)
            for n in 0..<3 {
                _ = try await rig.apply(
                    .on("a\(n)", .create, ["up": reference("a", .deleteSelf)]), in: .private)
            }
        }
        #expect(try await rig.apply(.on("b", .forceDelete), in: .private).code == nil)
        #expect(try await rig.lookUp("b2", in: .private) == nil)
    }

    /// A zone is gone with the answer; its records go in steps, others write between them, and a crash loses none of
    /// it.
    @Test func aDeletedZoneIsRemovedInSteps() async throws {
        let rig = try await RecordServiceRig()
        _ = try await rig.zone(.create, "z")
        let count = 3 * RecordService.droppedRecordsStep + 5
        for start in stride(from: 0, to: count, by: 100) {
            let operations = (start..<min(count, start + 100)).map { n in
                RecordOperation.on("r\(n)", .create, ["t": .string("some words of \(n)"), "n": .int64(Int64(n))])
            }
            _ = try await rig.service.modifyRecords(operations, in: .private, zone: "z", for: rig.alice)
        }
        for n in 0..<5 { _ = try await rig.apply(.on("r\(n)", .forceDelete), in: .private, zone: "z") }
        _ = try await rig.zone(.delete, "z")
        await expect(code: .zoneNotFound) { try await rig.lookUp("r9", in: .private, zone: "z") }
        let found = try await rig.service.queryRecords(
            RecordQuery(query: GivenQuery(recordType: RecordType(trusted: "T"), filters: []), zones: .all),
            in: .private, markers: QueryMarkers(rig.keys), for: rig.alice)
        #expect(found.records.isEmpty)
        // The name is free at once.
        #expect(try await rig.zone(.create, "z").zone != nil)
        #expect(try await rig.apply(.on("r9", .create), in: .private, zone: "z").code == nil)
        var steps = 0
        let limit = RecordService.droppedRecordsStep
        while let step = try await rig.service.store.write({
            try $0.removeDroppedRecords(limit: limit, bytesMax: 1 << 20)
        }) {
            #expect(step.bodies.count <= limit && step.owner == rig.alice.user)
            steps += 1
            // A request between two steps finds a consistent state.
            #expect(try await rig.apply(.on("v", .forceUpdate), in: .private, as: rig.bob).code == nil)
            #expect(try await rig.page("z").names == ["r9"])
        }
        #expect(steps >= 4)
        #expect(try await rig.service.store.read { try $0.zones(in: .private) }.count == 2)
    }

    /// Zones that are made and deleted in a loop leave tombstones, which have a limit.
    @Test func deletedZonesOfAUserAreBounded() async throws {
        let rig = try await RecordServiceRig()
        _ = try await rig.zone(.create, "z")
        _ = try await rig.zone(.delete, "z")
        try await rig.service.store.write { [rig] transaction in
            for n in 1..<Limits.zoneTombstonesMax {
                let id = ZoneID(name: ZoneName(trusted: "t\(n)"), owner: rig.alice.user!)
                let lost = ZoneTombstone(id: id, sequence: try transaction.nextSequence())
                try transaction.addZoneTombstone(lost, of: rig.alice.user!, in: .private, rig.now)
            }
        }
        #expect(try await rig.zone(.create, "y").code == .throttled)
        #expect(try await rig.zone(.create, "y", as: rig.bob).code == nil)
        rig.move(by: .seconds(91 * 86_400))
        try await rig.service.removeOldTombstones()
        #expect(try await rig.zone(.create, "y").code == nil)
    }
}
