import CloudModel
import RecordStore
import TestSupport
import Testing

@testable import RecordService

/// Deleting the default zone empties it.
@Suite struct EmptiedZoneTests {
    private func empty(_ rig: RecordServiceRig, as caller: Caller? = nil) async throws {
        guard case .zone(let zone) = try await rig.zone(.delete, .default, as: caller) else {
            Issue.record("the default zone is not emptied")
            return
        }
        #expect(zone.isDeleted && zone.id.name == .defaultZone && !zone.isAtomic)
    }

    @Test("its records are gone at once, whatever hangs together, and their deletions are published in steps")
    func emptied() async throws {
        let rig = try await RecordServiceRig(assets: MemoryAssets())
        let count = 2 * RecordService.droppedRecordsStep + 30
        for start in stride(from: 0, to: count, by: 100) {
            let operations = (start..<min(start + 100, count)).map { number in
                var operation = RecordOperation.on("r\(number)", .create, ["n": .int64(Int64(number))])
                if number > 0 {
                    operation.parent = .some(RecordName(trusted: "r\((number - 1) / 2)"))
                    operation.fields[FieldName(trusted: "up")] = GivenValue(
                        reference("r\(number / 2)", number % 2 == 0 ? .deleteSelf : .none), isTypeExplicit: false)
                }
                return operation
            }
            #expect(try await rig.apply(operations, in: .private).allSatisfy { $0.code == nil })
        }
        _ = try await rig.zone(.create, "kept")
        _ = try await rig.apply(.on("kept", .create), in: .private, zone: "kept")
        _ = try await rig.apply(.on("theirs", .create), in: .private, as: rig.bob)
        let before = try await rig.changes().count
        try await empty(rig)
        for name in ["r0", "r1", "r\(count - 1)"] { #expect(try await rig.lookUp(name, in: .private) == nil) }
        // One that is made again is no deletion any more; it counts once.
        #expect(try await rig.apply(.on("r7", .create), in: .private).code == nil)
        try await rig.service.removeDroppedZones()
        let changes = try await rig.changes().dropFirst(before)
        let deleted = changes.filter { $0.kind == .deleted }
        #expect(
            Set(deleted.compactMap { $0.before?.name.rawValue })
                == Set((0..<count).map { "r\($0)" }).subtracting(["r7"]))
        #expect(deleted.count == count - 1 && deleted.allSatisfy { $0.zone == nil && $0.database == .private })
        #expect(deleted.allSatisfy { $0.origin.user == rig.alice.user && $0.after == nil })
        let usage = try await rig.service.store.read { try $0.usage(of: rig.alice.user!) }
        #expect(usage[.privateRecords] == 2)
        #expect(try await rig.lookUp("kept", in: .private, zone: "kept") != nil)
        #expect(try await rig.lookUp("theirs", in: .private, as: rig.bob) != nil)
        #expect(try await rig.lookUp("r7", in: .private) != nil)
        // It stays, and is emptied again.
        #expect(
            try await rig.service.listZones(in: .private, for: rig.alice).map(\.id.name.rawValue) == [
                "_defaultZone", "kept",
            ])
        try await empty(rig)
        #expect(try await rig.lookUp("r7", in: .private) == nil)
        try await empty(rig)
        try await rig.service.removeDroppedZones()
        #expect(try await rig.service.store.read { try $0.usage(of: rig.alice.user!) }[.privateRecords] == 1)
    }

    @Test("all zones that there are, in one request; nobody else's")
    func everything() async throws {
        let rig = try await RecordServiceRig()
        for zone in ["a", "b"] { _ = try await rig.zone(.create, GivenZone(name: ZoneName(trusted: zone))) }
        _ = try await rig.apply(.on("r", .create), in: .private)
        let zones = try await rig.service.listZones(in: .private, for: rig.alice)
        let results = try await rig.service.modifyZones(
            zones.map { ZoneOperation(kind: .delete, zone: GivenZone(name: $0.id.name, owner: $0.id.owner)) },
            in: .private, for: rig.alice)
        for result in results { if case .failed(_, let error) = result { Issue.record(error) } }
        #expect(try await rig.service.listZones(in: .private, for: rig.alice).map(\.id.name) == [.defaultZone])
        let theirs = try await rig.service.modifyZones(
            [ZoneOperation(kind: .delete, zone: GivenZone(name: .defaultZone, owner: rig.alice.user))], in: .private,
            for: rig.bob)
        guard case .failed(_, let error) = theirs[0] else {
            Issue.record("another user's zone is emptied")
            return
        }
        #expect(error.code == .accessDenied)
        await expect(code: .badRequest) {
            _ = try await rig.service.modifyZones(
                [ZoneOperation(kind: .delete, zone: .default)], in: .public, for: rig.alice)
        }
    }

    @Test("files of an emptied zone are released, and a user is removed with records that hang together")
    func removal() async throws {
        let rig = try await RecordServiceRig(assets: MemoryAssets())
        let operations = (0..<450).map { number in
            var operation = RecordOperation.on("r\(number)", .create)
            // Names of parents come before those of their children, in the order of removal, too.
            if number > 0 { operation.parent = .some(RecordName(trusted: "r\(number / 10)")) }
            return operation
        }
        for start in stride(from: 0, to: 450, by: 150) {
            #expect(
                try await rig.apply(Array(operations[start..<start + 150]), in: .private, as: rig.bob)
                    .allSatisfy { $0.code == nil })
        }
        let removal = try await rig.removeUser(rig.bob.user!)
        #expect(removal.records == 450)
        #expect(try await rig.service.store.read { try $0.usage(of: rig.bob.user!) }[.privateRecords] == 0)
    }
}
