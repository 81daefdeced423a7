import FanfareCloudKit
import Foundation
import Testing

/// The eight ways in which the tests of Apple's sample of the sync engine sync devices, in code of our own: one card, ten,
/// and hundreds; a new name there and back; a zone and a record that are gone; and a conflict that the first and the last
/// device wins. The winner has the later date, and the date that came back is compared with the one that was set.
@Suite struct SyncSampleTests {
    /// A card of an address book.
    private struct Card: Hashable, Sendable {
        var name: String
        var date: Date
    }

    /// An app with an address book. It sends what failed again, after it has done what the failure asks for.
    private actor Book: CKSyncEngineDelegate {
        let database: CKDatabase
        let zone: CKRecordZone.ID
        private(set) var cards: [String: Card] = [:]
        private(set) var known: [String: CKRecord] = [:]
        private(set) var failures: [CKError.Code] = []
        private var current: CKSyncEngine?

        init(_ database: CKDatabase, _ zone: CKRecordZone.ID) {
            self.database = database
            self.zone = zone
        }

        var engine: CKSyncEngine {
            if let current { return current }
            var configuration = CKSyncEngine.Configuration(
                database: database, stateSerialization: nil, delegate: self)
            configuration.automaticallySync = false
            let engine = CKSyncEngine(configuration)
            current = engine
            return engine
        }

        func save(_ cards: [String: Card]) {
            self.cards.merge(cards) { _, new in new }
            engine.state.add(pendingRecordZoneChanges: cards.keys.sorted().map { .saveRecord(id($0)) })
        }

        private func id(_ name: String) -> CKRecord.ID { CKRecord.ID(recordName: name, zoneID: zone) }

        func handleEvent(_ event: CKSyncEngine.Event, syncEngine: CKSyncEngine) {
            switch event {
            case .accountChange:
                syncEngine.state.add(pendingDatabaseChanges: [.saveZone(CKRecordZone(zoneID: zone))])
                syncEngine.state.add(pendingRecordZoneChanges: cards.keys.map { .saveRecord(id($0)) })
            case .fetchedDatabaseChanges(let changes): if !changes.deletions.isEmpty { cards = [:] }
            case .fetchedRecordZoneChanges(let changes):
                for change in changes.modifications { merge(change.record) }
                for deletion in changes.deletions { cards[deletion.recordID.recordName] = nil }
            case .sentRecordZoneChanges(let sent):
                for record in sent.savedRecords { known[record.recordID.recordName] = record }
                for failure in sent.failedRecordSaves { failed(failure.record.recordID, failure.error, syncEngine) }
            default: break
            }
        }

        private func failed(_ id: CKRecord.ID, _ error: CKError, _ engine: CKSyncEngine) {
            failures.append(error.code)
            switch error.code {
            case .serverRecordChanged: if let record = error.serverRecord { merge(record) }
            case .zoneNotFound:
                engine.state.add(pendingDatabaseChanges: [.saveZone(CKRecordZone(zoneID: id.zoneID))])
                known[id.recordName] = nil
            case .unknownItem: known[id.recordName] = nil
            default: return
            }
            engine.state.add(pendingRecordZoneChanges: [.saveRecord(id)])
        }

        private func merge(_ record: CKRecord) {
            let name = record.recordID.recordName
            known[name] = record
            let values = record.encryptedValues
            guard let text = values["name"] as? String, let date = values["date"] as? Date else { return }
            if let own = cards[name], own.date >= date { return }
            cards[name] = Card(name: text, date: date)
        }

        func nextRecordZoneChangeBatch(
            _ context: CKSyncEngine.SendChangesContext, syncEngine: CKSyncEngine
        ) async -> CKSyncEngine.RecordZoneChangeBatch? {
            let changes = syncEngine.state.pendingRecordZoneChanges.filter { context.options.scope.contains($0) }
            return await CKSyncEngine.RecordZoneChangeBatch(pendingChanges: changes) { id in
                guard let record = await self.record(id) else {
                    syncEngine.state.remove(pendingRecordZoneChanges: [.saveRecord(id)])
                    return nil
                }
                return record
            }
        }

        private func record(_ id: CKRecord.ID) -> CKRecord? {
            guard let card = cards[id.recordName] else { return nil }
            let record = known[id.recordName] ?? CKRecord(recordType: "Card", recordID: id)
            record.encryptedValues["name"] = card.name
            record.encryptedValues["date"] = card.date
            return record
        }
    }

    private let devices: Devices
    private let zone: CKRecordZone.ID

    /// The zone is deleted before it was ever there, as the sample's tests begin.
    init() async throws {
        devices = try await Devices()
        zone = CKRecordZone.ID(zoneName: devices.name("Cards"))
        try await devices.device().privateCloudDatabase.deleteRecordZone(withID: zone)
    }

    private func book(_ device: String) -> Book { Book(devices.device(device).privateCloudDatabase, zone) }

    @Test("cards come to another device with their very dates", arguments: [1, 10, 444])
    func cards(count: Int) async throws {
        let (phone, pad) = (book("phone"), book("pad"))
        var cards: [String: Card] = [:]
        for number in 0..<count { cards["card\(number)"] = Card(name: "\(number)", date: Date()) }
        await phone.save(cards)
        try await phone.engine.sendChanges()
        #expect(await pad.cards.isEmpty)
        try await pad.engine.fetchChanges()
        #expect(await pad.cards == cards)
        #expect(await phone.engine.state.pendingRecordZoneChanges.isEmpty)
    }

    @Test("a new name goes to the other device, and another one back")
    func rename() async throws {
        let (phone, pad) = (book("phone"), book("pad"))
        await phone.save(["a": Card(name: "1", date: Date())])
        try await phone.engine.sendChanges()
        for (number, (from, to)) in [(phone, pad), (pad, phone), (phone, pad)].enumerated() {
            await from.save(["a": Card(name: "\(number + 2)", date: Date())])
            if number > 0 || from === phone { try await from.engine.sendChanges() }
            try await to.engine.fetchChanges()
            #expect(await to.cards["a"]?.name == "\(number + 2)")
            #expect(await to.cards == from.cards)
        }
    }

    @Test(
        "a card whose zone or record somebody deleted fails once, and is made again by the next send",
        arguments: [CKError.Code.zoneNotFound, .unknownItem])
    func gone(code: CKError.Code) async throws {
        let phone = book("phone")
        await phone.save(["a": Card(name: "1", date: Date())])
        try await phone.engine.sendChanges()
        let before = try #require(await phone.known["a"]?.creationDate)
        let database = phone.database
        if code == .zoneNotFound {
            try await database.deleteRecordZone(withID: zone)
        } else {
            try await database.deleteRecord(withID: CKRecord.ID(recordName: "a", zoneID: zone))
        }
        await phone.save(["a": Card(name: "2", date: Date())])
        await #expect(throws: CKError.self) { try await phone.engine.sendChanges() }
        #expect(await phone.failures == [code])
        #expect(await phone.known["a"] == nil)
        #expect(await phone.engine.state.pendingRecordZoneChanges.count == 1)
        try await phone.engine.sendChanges()
        let pad = book("pad")
        try await pad.engine.fetchChanges()
        #expect(await pad.cards == phone.cards)
        #expect(await pad.known["a"]?.creationDate != before)
    }

    @Test("the later of two changes wins a conflict, whichever is sent first", arguments: [true, false])
    func conflict(isWinnerFirst: Bool) async throws {
        let (winner, loser) = (book("phone"), book("pad"))
        await winner.save(["a": Card(name: "old", date: Date())])
        try await winner.engine.sendChanges()
        try await loser.engine.fetchChanges()
        let (earlier, later) = (Card(name: "loses", date: Date()), Card(name: "wins", date: Date() + 1))
        await winner.save(["a": later])
        await loser.save(["a": earlier])
        let (first, second) = isWinnerFirst ? (winner, loser) : (loser, winner)
        try await first.engine.sendChanges()
        await #expect(throws: CKError.self) { try await second.engine.sendChanges() }
        #expect(await second.failures == [.serverRecordChanged])
        #expect(await first.engine.state.pendingRecordZoneChanges.isEmpty)
        #expect(await second.engine.state.pendingRecordZoneChanges.count == 1)
        #expect(await winner.cards["a"] == later)
        #expect(await loser.cards["a"] == (isWinnerFirst ? later : earlier))
        try await second.engine.sendChanges()
        try await first.engine.fetchChanges()
        #expect(await first.cards["a"] == later)
        #expect(await second.cards["a"] == later)
    }
}
