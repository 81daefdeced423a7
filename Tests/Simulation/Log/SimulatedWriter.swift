import EventLog
import Synchronization
import Waiting

/// A producer: what it was given is stored entry by entry, in order, and nothing after a failure.
final class SimulatedWriter: LogWriter {
    private struct State {
        var isDead = false
        /// Calls that wait for their turn.
        var line: [Int] = []
        var last = 0
    }

    private let port: SimulatedPort
    private let state = Mutex(State())
    private let bell = Bell<Int>()

    /// The power cuts before it began. The brokers do not know it after another one, as a producer's numbers go on
    /// where they have lost its entries.
    private let cuts: Int

    init(_ port: SimulatedPort) {
        self.port = port
        cuts = port.log.cuts
    }

    func append(_ entries: [OutgoingEntry]) async throws {
        let turn = state.withLock { state in
            state.last += 1
            state.line.append(state.last)
            return state.last
        }
        defer {
            state.withLock { $0.line.removeAll { $0 == turn } }
            bell.ringAll()
        }
        let fault = try await beginning(entries)
        try await bell.wait(for: turn) { state.withLock { $0.line.first == turn } }
        if Mutation.commitBeforeWriting.isOn {
            // Acknowledged, and still on its way.
            Task { try? await store(entries, fault) }
            return
        }
        try await store(entries, fault)
    }

    func close() async { state.withLock { $0.isDead = true } }

    private func beginning(_ entries: [OutgoingEntry]) async throws -> Fault.Call? {
        do {
            let fault = try await port.enter("append")
            try port.log.contents.withLock { contents in
                for entry in entries { _ = try contents.partition(entry.partition) }
            }
            return fault
        } catch LogError.unavailable(let reason) {
            state.withLock { $0.isDead = true }
            throw LogError.writeFailed(reason)
        }
    }

    private func store(_ entries: [OutgoingEntry], _ fault: Fault.Call?) async throws {
        let stored = fault == .failsWithin ? Scheduler.shared.random(below: entries.count + 1) : entries.count
        for (index, entry) in entries.enumerated() {
            if state.withLock({ $0.isDead }) || index >= stored || cuts != port.log.cuts { throw died() }
            // What a process has sent may arrive after its death.
            if port.life.isDead, Scheduler.shared.chance(oneIn: 3) { throw died() }
            do {
                try port.log.contents.withLock { try $0.append(entry) }
            } catch {
                throw died()
            }
            Trace.add("append \(entry.partition)")
            port.log.bell.ring(entry.partition)
            if Scheduler.shared.chance(oneIn: 3) { await Task.yield() }
        }
        await Task.yield()
        if fault == .failsAfter || fault == .failsWithin || port.life.isDead { throw died() }
    }

    private func died() -> LogError {
        state.withLock { $0.isDead = true }
        return .writeFailed("the history wants it so")
    }
}
