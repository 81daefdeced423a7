import FanfareCloudKit
import Foundation
import Synchronization
import TestSupport

/// The changes of a sync engine, as its documentation has them: pending, in flight and failed. A name is that of a
/// record (`A/r1`) or of a zone (`A`). It decides at random, by a seed, what the app, its delegate and the service do,
/// and notes where the engine does something else.
struct SyncModel: Sendable {
    /// The ways in which a delegate treats a failed change.
    enum Policy: CaseIterable, Sendable {
        case forgets, addsAgain, addsOther, changesItsMind, atRandom
    }

    private final class Noted: Sendable {
        let texts = Mutex<[String]>([])
        func add(_ text: String) { texts.withLock { $0.append(text) } }
    }

    struct Change: Hashable, Sendable {
        var name: String
        var isDeletion: Bool
    }

    private(set) var generator: SeededGenerator
    private(set) var policy = Policy.forgets
    private(set) var pending: [Change] = []
    private(set) var inFlight: [Change] = []
    /// The changes that failed in this send, with their codes.
    private(set) var failed: [String: CKError.Code] = [:]
    /// The names that this send may not send any more; nil while none runs.
    private var waiting: Set<String>?
    private var requestError: CKError.Code?
    private var isEnd = false
    /// The requests of the present batch, by zone, that are still to come.
    private var expected: [AnsweringService.Sent] = []
    private var batchErrors: [String: CKError.Code] = [:]
    private let noted = Noted()
    var faults: [String] { noted.texts.withLock { $0 } }
    private(set) var requests = 0
    private(set) var failures = 0

    init(seed: UInt64) { generator = SeededGenerator(seed: seed) }

    private mutating func chance(_ one: Int) -> Bool { Int.random(in: 0..<one, using: &generator) == 0 }

    private func note(_ isRight: Bool, _ text: @autoclosure () -> String) { if !isRight { noted.add(text()) } }

    // MARK: The app

    /// Adds a change; the last of a record's counts.
    mutating func add(_ change: Change) {
        pending.removeAll { $0.name == change.name }
        pending.append(change)
        waiting?.insert(change.name)
    }

    mutating func remove(_ change: Change) { pending.removeAll { $0 == change } }

    /// A random change of a record or, seldom, a zone.
    mutating func anyChange() -> Change {
        let zone = ["A", "B", "C"].randomElement(using: &generator)!
        let name = chance(8) ? zone : "\(zone)/r\(Int.random(in: 0..<6, using: &generator))"
        return Change(name: name, isDeletion: chance(4))
    }

    mutating func isAdding() -> Bool { !chance(6) }

    // MARK: A send

    mutating func begin() {
        policy = Policy.allCases.randomElement(using: &generator)!
        waiting = []
    }

    /// The zones that the engine sends first.
    mutating func expectZones() {
        let zones = pending.filter { !$0.name.contains("/") }
        guard !zones.isEmpty else { return }
        fly(zones)
        expected = [
            AnsweringService.Sent(
                zone: nil, saves: zones.filter { !$0.isDeletion }.map(\.name),
                deletes: zones.filter(\.isDeletion).map(\.name))
        ]
    }

    /// A batch as a delegate may give it: some of the pending changes in any order, also those that wait.
    /// - Returns: nil for the delegate that uses the library's own way.
    mutating func batch() -> [Change]? {
        guard chance(3) else { return nil }
        let some = pending.filter { $0.name.contains("/") }.shuffled(using: &generator)
        return Array(some.prefix(Int.random(in: 1...8, using: &generator)))
    }

    /// The requests that follow a batch.
    mutating func expect(_ batch: [Change]) {
        note(!isEnd, "a batch is asked for after an error that stops the send")
        let sent = batch.filter { waiting?.contains($0.name) != true }
        fly(sent)
        var zones: [String] = []
        let ordered = sent.filter { !$0.isDeletion } + sent.filter(\.isDeletion)
        for change in ordered where !zones.contains(change.zone) { zones.append(change.zone) }
        expected = zones.map { zone in
            let own = ordered.filter { $0.zone == zone }
            return AnsweringService.Sent(
                zone: zone, saves: own.filter { !$0.isDeletion }.map(\.record),
                deletes: own.filter(\.isDeletion).map(\.record))
        }
    }

    private mutating func fly(_ changes: [Change]) {
        note(inFlight.isEmpty, "two batches at once")
        (inFlight, batchErrors) = (changes, [:])
        pending.removeAll { changes.contains($0) }
        for change in changes { waiting?.insert(change.name) }
    }

    /// The service's answer to a request.
    mutating func answer(_ sent: AnsweringService.Sent) -> AnsweringService.Answer {
        requests += 1
        note(expected.first == sent, "sent \(sent), expected \(expected)")
        if !expected.isEmpty { expected.removeFirst() }
        let names = sent.names.map { name in sent.zone.map { "\($0)/\(name)" } ?? name }
        switch Int.random(in: 0..<12, using: &generator) {
        case 0:
            for name in names { batchErrors[name] = .networkUnavailable }
            return .unreachable
        case 1:
            for name in names { batchErrors[name] = .requestRateLimited }
            return .refused(429, "THROTTLED")
        case 2 where sent.zone != nil:
            for name in names { batchErrors[name] = .zoneNotFound }
            return .refused(404, "ZONE_NOT_FOUND")
        default: return items(sent, names)
        }
    }

    private mutating func items(_ sent: AnsweringService.Sent, _ names: [String]) -> AnsweringService.Answer {
        let codes: [(String, CKError.Code)] = [
            ("CONFLICT", .serverRecordChanged), ("NOT_FOUND", .unknownItem), ("ATOMIC_ERROR", .batchRequestFailed),
            ("VALIDATING_REFERENCE_ERROR", .referenceViolation), ("ACCESS_DENIED", .permissionFailure),
            ("BAD_REQUEST", .invalidArguments), ("TRY_AGAIN_LATER", .serviceUnavailable),
        ]
        var errors: [String: String] = [:]
        for (name, whole) in zip(sent.names, names) where chance(3) {
            let code = codes.randomElement(using: &generator)!
            errors[name] = code.0
            batchErrors[whole] = code.1
        }
        return .items(errors)
    }

    /// The event that ends a batch.
    mutating func sent(done: Set<String>, failed event: [String: CKError.Code]) {
        let names = Set(inFlight.map(\.name))
        note(expected.isEmpty, "an event before \(expected)")
        let isOfRequest: (CKError.Code?) -> Bool = { $0 == .networkUnavailable || $0 == .requestRateLimited }
        if !names.isEmpty, names.allSatisfy({ isOfRequest(batchErrors[$0]) }) {
            // No part was answered: the whole failed, with the first error.
            let first = batchErrors[first(of: names)]
            for name in names { batchErrors[name] = first }
            requestError = requestError ?? first
        }
        note(event == batchErrors, "the event has \(event), the service said \(batchErrors)")
        note(done == names.subtracting(batchErrors.keys), "done are \(done) of \(names)")
        let isForRetry: (CKError.Code) -> Bool = {
            [.networkUnavailable, .requestRateLimited, .serviceUnavailable].contains($0)
        }
        let kept = inFlight.filter { change in
            event[change.name].map(isForRetry) == true && !pending.contains { $0.name == change.name }
        }
        // A kept change takes its old place, before those that were added later.
        pending = kept + pending
        inFlight = []
        failed.merge(event) { _, new in new }
        failures += event.count
        isEnd = isEnd || event.values.contains(where: isForRetry)
    }

    private func first(of names: Set<String>) -> String {
        let ordered = inFlight.filter { !$0.isDeletion } + inFlight.filter(\.isDeletion)
        return ordered.first { names.contains($0.name) }?.name ?? ""
    }

    /// The changes that a delegate adds on an event.
    mutating func reaction(to event: [String: CKError.Code], of changes: [Change]) -> [Change] {
        let failed = changes.filter { event[$0.name] != nil }
        switch policy {
        case .forgets: return []
        case .addsAgain: return failed
        case .addsOther: return [anyChange(), anyChange()]
        case .changesItsMind: return failed.map { Change(name: $0.name, isDeletion: !$0.isDeletion) }
        case .atRandom: return failed.filter { _ in chance(2) } + (chance(2) ? [anyChange()] : [])
        }
    }

    /// Ends a send, which returned or threw.
    mutating func end(_ thrown: CKError?) {
        let items = (thrown?.partialErrorsByItemID ?? [:]).map { Self.name($0.key) }
        if let requestError {
            note(thrown?.code == requestError, "thrown is \(thrown as Any), the request failed with \(requestError)")
        } else if failed.isEmpty {
            note(thrown == nil, "thrown is \(thrown as Any), and nothing failed")
        } else {
            note(thrown?.code == .partialFailure, "thrown is \(thrown as Any), failed are \(failed)")
            note(Set(items) == Set(failed.keys), "thrown are \(items), failed are \(failed)")
        }
        (failed, requestError, isEnd, waiting) = ([:], nil, false, nil)
    }

    /// Compares the pending changes; kept ones may have other places among the older ones.
    mutating func compare(_ state: [Change]) {
        note(Set(state) == Set(pending) && state.count == pending.count, "pending \(state), expected \(pending)")
        pending = state
    }

    static func name(_ id: AnyHashable) -> String {
        switch id.base {
        case let id as CKRecord.ID: "\(id.zoneID.zoneName)/\(id.recordName)"
        case let id as CKRecordZone.ID: id.zoneName
        default: "\(id)"
        }
    }
}

extension SyncModel.Change {
    var zone: String { String(name.prefix { $0 != "/" }) }
    var record: String { String(name.drop { $0 != "/" }.dropFirst()) }
    var recordID: CKRecord.ID { CKRecord.ID(recordName: record, zoneID: CKRecordZone.ID(zoneName: zone)) }

    init(_ change: CKSyncEngine.PendingRecordZoneChange) {
        switch change {
        case .saveRecord(let id): self.init(name: SyncModel.name(id), isDeletion: false)
        case .deleteRecord(let id): self.init(name: SyncModel.name(id), isDeletion: true)
        }
    }

    init(_ change: CKSyncEngine.PendingDatabaseChange) {
        switch change {
        case .saveZone(let zone): self.init(name: zone.zoneID.zoneName, isDeletion: false)
        case .deleteZone(let id): self.init(name: id.zoneName, isDeletion: true)
        }
    }
}
