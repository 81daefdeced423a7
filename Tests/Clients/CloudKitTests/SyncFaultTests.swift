import FanfareCloudKit
import Foundation
import TestSupport
import Testing

/// Two devices whose notes a sync engine keeps the same over a network that loses, cuts, garbles, delays and repeats.
/// FANFARE_SYNC_RECORDS=10000 takes a minute.
@Suite struct SyncFaultTests {
    private static let count =
        ProcessInfo.processInfo.environment["FANFARE_SYNC_RECORDS"].flatMap { Int($0) } ?? 300
    private static let seed =
        ProcessInfo.processInfo.environment["FANFARE_PROPERTY_SEED"].flatMap { UInt64($0) } ?? 1

    /// A device: its notes, its engine, and the requests in which each note was.
    private final class Device: Sendable {
        let store: SyncStore
        let network: FaultyTransport
        /// By note: the requests with a change of it, and those of them whose answers did not arrive whole.
        let sent = Guarded<[String: (all: Int, lost: Int)]>([:])
        let requests = Guarded(0)
        private let database: CKDatabase
        private let current: Guarded<CKSyncEngine?> = Guarded(nil)

        init(_ devices: Devices, _ name: String, _ zone: CKRecordZone.ID, seed: UInt64) async {
            store = SyncStore(zone: zone)
            let (sent, requests) = (sent, requests)
            network = FaultyTransport(seed: seed, share: 0.15, hasSecondAnswers: true) { request, isLost in
                requests.update { $0 += 1 }
                for name in Self.names(request) {
                    sent.update { sent in
                        sent[name, default: (0, 0)].all += 1
                        if isLost { sent[name, default: (0, 0)].lost += 1 }
                    }
                }
            }
            var configuration = devices.configuration(network)
            configuration.signIn = .developmentUser(devices.name("alice"))
            configuration.deviceID = "\(name)-\(devices.unique)"
            configuration.attemptsMax = 12
            database = CKContainer(configuration: configuration).privateCloudDatabase
            await restart()
        }

        var engine: CKSyncEngine { current.value! }

        /// Begins another engine with the state that the last one has reported, as an app that is started again.
        func restart() async {
            var state = await store.state
            if let known = state, let data = try? JSONEncoder().encode(known) {
                state = try? JSONDecoder().decode(CKSyncEngine.State.Serialization.self, from: data)
            }
            var configuration = CKSyncEngine.Configuration(
                database: database, stateSerialization: state, delegate: store)
            configuration.automaticallySync = false
            let engine = CKSyncEngine(configuration)
            current.update { $0 = engine }
            await store.resume(engine)
        }

        /// Sends and fetches once.
        /// - Returns: true if both came to their end.
        func sync() async -> Bool {
            var isWhole = true
            do { try await engine.sendChanges() } catch { isWhole = false }
            do { try await engine.fetchChanges() } catch { isWhole = false }
            return isWhole && engine.state.pendingRecordZoneChanges.isEmpty
        }

        /// The names of the records that a request changes.
        private static func names(_ request: FanfareRequest) -> [String] {
            guard request.url.contains("records/modify"),
                let body = try? JSONSerialization.jsonObject(with: Data(request.body)) as? [String: Any],
                let operations = body["operations"] as? [[String: Any]]
            else { return [] }
            return operations.compactMap { ($0["record"] as? [String: Any])?["recordName"] as? String }
        }
    }

    @Test("two devices have the same notes at the end, and no change is sent more often than its answers were lost")
    func devices() async throws {
        print("seed \(Self.seed), \(Self.count) records")
        let start = ContinuousClock.now
        var generator = SeededGenerator(seed: Self.seed)
        let devices = try await Devices()
        let zone = CKRecordZone(zoneName: devices.name("Notes"))
        let time = ManualTime(skipsPauses: true)
        try await time.bound {
            let (phone, pad) = (
                await Device(devices, "phone", zone.zoneID, seed: Self.seed),
                await Device(devices, "pad", zone.zoneID, seed: Self.seed + 1)
            )
            phone.engine.state.add(pendingDatabaseChanges: [.saveZone(zone)])
            let half = Self.count / 2
            await phone.store.write((0..<half).map { ("n\($0)", "0 phone") }, phone.engine)
            await pad.store.write((half..<Self.count).map { ("n\($0)", "0 pad") }, pad.engine)
            _ = await phone.sync()
            var rounds = 0
            for edition in 1...4 {
                rounds += try await settle(phone, pad)
                // Each device changes a part of the notes, some of them the same, and deletes a few.
                for (device, name) in [(phone, "phone"), (pad, "pad")] {
                    let notes = await device.store.texts.keys.sorted()
                    var changes: [(name: String, text: String?)] = []
                    for note in notes where Int.random(in: 0..<10, using: &generator) == 0 {
                        let isDeleted = Int.random(in: 0..<10, using: &generator) == 0
                        changes.append((note, isDeleted ? nil : "\(edition) \(name)"))
                    }
                    await device.store.write(changes, device.engine)
                }
                if edition == 2 { await pad.restart() }
            }
            rounds += try await settle(phone, pad)
            try await compare(phone, pad, devices, zone.zoneID)
            let faults = phone.network.count.value + pad.network.count.value
            let requests = phone.requests.value + pad.requests.value
            let conflicts = await phone.store.conflicts + pad.store.conflicts
            print(
                "\(await phone.store.texts.count) notes, \(requests) requests, \(faults) faults, \(conflicts) conflicts, \(rounds) rounds, \(ContinuousClock.now - start)"
            )
            #expect(faults > 0)
        }
    }

    /// Syncs both devices until nothing is left to do.
    private func settle(_ phone: Device, _ pad: Device) async throws -> Int {
        for round in 1...100 {
            let before = (await phone.store.texts, await pad.store.texts)
            let isWhole = [await phone.sync(), await pad.sync()].allSatisfy { $0 }
            let after = (await phone.store.texts, await pad.store.texts)
            if isWhole, before == after, after.0 == after.1 { return round }
        }
        Issue.record("the devices do not come to an end")
        return 100
    }

    private func compare(_ phone: Device, _ pad: Device, _ devices: Devices, _ zone: CKRecordZone.ID) async throws {
        let texts = await phone.store.texts
        #expect(await pad.store.texts == texts)
        // The service has the same, as a device over a sound network reads it.
        var found: [String: String] = [:]
        let database = devices.device("watch").privateCloudDatabase
        var token: CKServerChangeToken?
        var moreComing = true
        while moreComing {
            let page = try await database.recordZoneChanges(inZoneWith: zone, since: token)
            for (id, result) in page.modificationResultsByID {
                found[id.recordName] = try result.get().record["text"] as? String
            }
            (token, moreComing) = (page.changeToken, page.moreComing)
        }
        #expect(found == texts)
        for device in [phone, pad] {
            let batches = await device.store.batches
            let wrong = device.sent.value.filter { $1.all > (batches[$0] ?? 0) + $1.lost }
            #expect(wrong.isEmpty, "sent too often: \(wrong), in batches: \(wrong.keys.map { batches[$0] ?? 0 })")
        }
    }
}
