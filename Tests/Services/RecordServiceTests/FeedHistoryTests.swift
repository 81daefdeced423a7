import CloudModel
import RecordService
import TestSupport
import Testing

/// A device that follows changes/database and changes/zone from nil ends with exactly the records that lookup gives.
@Suite struct FeedHistoryTests {
    /// What a device keeps: it knows tokens, zones and records, and nothing of the service.
    private struct Device {
        var databaseToken: String?
        var zones: [ZoneName: (token: String?, records: [RecordName: Record])] = [:]
        /// Zones that have to be fetched.
        var pending: Set<ZoneName> = []
    }

    private static let zoneNames = ["a", "b", "c"].map { ZoneName(trusted: $0) }
    private static let recordNames = (0..<8).map { RecordName(trusted: "r\($0)") }

    @Test(arguments: 1...25) func aDeviceEndsWithLookupsRecords(seed: UInt64) async throws {
        let rig = try await RecordServiceRig()
        var random = SeededGenerator(seed: seed)
        var devices = [Device](repeating: Device(), count: 3)
        for _ in 0..<160 {
            switch Int.random(in: 0..<100, using: &random) {
            case 0..<60: try await write(rig, &random)
            case 60..<66:
                let kind: ZoneOperation.Kind = Bool.random(using: &random) ? .create : .delete
                _ = try await rig.zone(kind, GivenZone(name: Self.zoneNames.randomElement(using: &random)!))
            case 66..<68:
                rig.move(by: .seconds(Int64.random(in: 1...60, using: &random) * 86_400))
                try await rig.service.removeOldTombstones()
            default:
                let device = Int.random(in: 0..<devices.count, using: &random)
                try await step(rig, &devices[device], &random)
            }
        }
        for index in devices.indices {
            while try await step(rig, &devices[index], &random) {}
            try await compare(devices[index], rig, seed)
        }
    }

    /// A few operations of one request.
    private func write(_ rig: RecordServiceRig, _ random: inout SeededGenerator) async throws {
        let zone = GivenZone(name: Self.zoneNames.randomElement(using: &random)!)
        let names = Self.recordNames.shuffled(using: &random).prefix(Int.random(in: 1...3, using: &random))
        let operations = names.map { name in
            let kind: RecordOperation.Kind =
                [.create, .forceUpdate, .forceUpdate, .forceReplace, .forceDelete].randomElement(using: &random)!
            let value = Int64.random(in: 0..<100, using: &random)
            return RecordOperation.on(name.rawValue, kind, ["n": .int64(value)])
        }
        do {
            _ = try await rig.service.modifyRecords(
                Array(operations), in: .private, zone: zone, isAtomic: Bool.random(using: &random), for: rig.alice)
        } catch let error as CloudError where error.code == .zoneNotFound {}
    }

    /// One request of a device; false when it has nothing more to ask.
    @discardableResult
    private func step(
        _ rig: RecordServiceRig, _ device: inout Device, _ random: inout SeededGenerator
    ) async throws -> Bool {
        let limit = Int.random(in: 1...4, using: &random)
        if let zone = device.pending.sorted().first {
            try await fetch(zone, limit: limit, isReverse: Int.random(in: 0..<4, using: &random) == 0, rig, &device)
            return true
        }
        do {
            let page = try await rig.service.databaseChanges(
                since: device.databaseToken, limit: limit, in: .private, for: rig.alice)
            device.databaseToken = page.syncToken
            for zone in page.zones {
                if zone.isDeleted {
                    device.zones[zone.id.name] = nil
                } else {
                    device.pending.insert(zone.id.name)
                }
            }
            return page.moreComing || !device.pending.isEmpty
        } catch let error as CloudError where error.code == .changeTokenExpired {
            device = Device()
            return true
        }
    }

    private func fetch(
        _ zone: ZoneName, limit: Int, isReverse: Bool, _ rig: RecordServiceRig, _ device: inout Device
    ) async throws {
        var known = device.zones[zone] ?? (nil, [:])
        do {
            let page = try await rig.page(
                GivenZone(name: zone), since: known.token, limit: limit, reverse: isReverse)
            for change in page.changes {
                switch change {
                case .saved(let record): known.records[record.name] = record
                case .deleted(let name, _): known.records[name] = nil
                }
            }
            known.token = page.syncToken
            device.zones[zone] = known
            if !page.moreComing { device.pending.remove(zone) }
        } catch let error as CloudError where error.code == .changeTokenExpired {
            device.zones[zone] = nil
        } catch let error as CloudError where error.code == .zoneNotFound {
            device.zones[zone] = nil
            device.pending.remove(zone)
        }
    }

    private func compare(_ device: Device, _ rig: RecordServiceRig, _ seed: UInt64) async throws {
        let zones = try await rig.service.listZones(in: .private, for: rig.alice).map(\.id.name)
        #expect(Set(device.zones.keys).union([.defaultZone]) == Set(zones), "seed \(seed)")
        for (zone, known) in device.zones {
            let results = try await rig.service.lookUpRecords(
                Self.recordNames, in: .private, zone: GivenZone(name: zone), for: rig.alice)
            var expected: [RecordName: Record] = [:]
            for case .record(let record) in results { expected[record.name] = record }
            #expect(known.records == expected, "seed \(seed), zone \(zone)")
        }
    }
}
