import CloudMessages
import CloudModel
import EventLog
import MemoryLog
import Poison
import ProtocolBuffers
import RecordStore
import Synchronization
import TestSupport
import Testing

@testable import RecordService

/// Rows that the log refuses.
@Suite struct RefusedRowTests {
    /// A row that the log refuses for good is set aside and listed; the others go on.
    @Test func aRowThatIsRefusedForGoodStopsNobody() async throws {
        try await within {
            let rig = try await RecordServiceRig()
            let layout = rig.service.layout
            let memory = try await Relaying.log(layout)
            _ = try await rig.apply(.on("before", .create))
            _ = try await rig.apply(.on("large", .create, ["text": .string(String(repeating: "x", count: 50_000))]))
            _ = try await rig.apply(.on("after", .create))
            try await Relaying.publish(rig, to: SmallLog(memory, bytesMax: 20_000, reported: Limits.messageBytesMax))
            #expect(try await Relaying.changes(layout, in: memory) == ["after", "before"])
            let aside = try await PoisonLedger.table(on: memory, layout).setAside
            #expect(aside.map(\.place.stage) == [.relay] && aside.first?.place.offset == 2)
        }
    }

    /// A topic that takes less than it is meant to is its operator's to mend: nothing is lost by it.
    @Test func aRowThatIsRefusedByALoweredLimitWaits() async throws {
        try await within {
            let rig = try await RecordServiceRig()
            let layout = rig.service.layout
            let memory = try await Relaying.log(layout)
            let lowered = SmallLog(memory, bytesMax: 20_000, reported: 20_000)
            _ = try await rig.apply(.on("before", .create))
            _ = try await rig.apply(.on("large", .create, ["text": .string(String(repeating: "x", count: 50_000))]))
            let relay = OutboxRelay(store: rig.service.store, layout: layout, log: lowered, now: rig.service.now)
            let running = Task { await relay.run() }
            try await eventually("two refusals") { lowered.refusals >= 2 }
            #expect(try await Relaying.changes(layout, in: memory) == [])
            lowered.lift()
            try await eventually("an empty outbox") { try await rig.outbox().isEmpty }
            running.cancel()
            await running.value
            #expect(try await Relaying.changes(layout, in: memory) == ["before", "large"])
            #expect(try await PoisonLedger.table(on: memory, layout).setAside.isEmpty)
        }
    }
}

/// A log that takes small entries only.
private final class SmallLog: ForwardingLog {
    let base: any EventLog
    private let state: Mutex<SmallWriter.State>

    /// - Parameter reported: the limit that refusals name.
    init(_ base: any EventLog, bytesMax: Int, reported: Int) {
        self.base = base
        state = Mutex(SmallWriter.State(bytesMax: bytesMax, reported: reported))
    }

    var refusals: Int { state.withLock { $0.refusals } }

    func lift() { state.withLock { $0.bytesMax = .max } }

    fileprivate func check(_ entries: [OutgoingEntry]) throws {
        try state.withLock { state in
            for entry in entries where entry.byteCount > state.bytesMax {
                state.refusals += 1
                throw LogError.entryTooLarge(entry.partition, bytes: entry.byteCount, maximum: state.reported)
            }
        }
    }

    func makeWriter() async throws -> any LogWriter {
        SmallWriter(base: try await base.makeWriter(), log: self)
    }
}

private struct SmallWriter: LogWriter {
    struct State {
        var bytesMax: Int
        var reported: Int
        var refusals = 0
    }

    let base: any LogWriter
    let log: SmallLog

    func append(_ entries: [OutgoingEntry]) async throws {
        try log.check(entries)
        try await base.append(entries)
    }

    func close() async { await base.close() }
}
