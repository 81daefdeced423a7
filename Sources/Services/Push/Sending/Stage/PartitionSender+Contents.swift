import CloudMessages
import CloudModel
import EventLog
import ProtocolBuffers
import Synchronization
import Telemetry
import Timing
import Waiting

/// Notifications that are read again, from `push-state` or from the journals.
extension PartitionSender {
    /// Destinations whose contents are read in one pass.
    private static let wantedMax = 20_000

    /// Passes after which a content that was never found is lost: a broker that comes back reports a stale end.
    private static let passesMax = 10
    private static let passPause = Duration.seconds(1)

    /// Reads the contents that are wanted, again and again.
    func loadWanted() async throws {
        var misses: [PushDestination: Int] = [:]
        while true {
            let asked = try await bell.wait(for: .wanted) { () -> Set<PushDestination>? in
                let wanted = self.state.withLock { $0.wanted }
                return wanted.isEmpty ? nil : Set(wanted.prefix(Self.wantedMax))
            }
            let (found, isWhole) = try await contents(of: asked)
            // Those that did not fit are asked for again.
            let missing = isWhole ? asked.subtracting(found.keys) : []
            for destination in missing { misses[destination, default: 0] += 1 }
            let given = missing.filter { misses[$0]! >= Self.passesMax }
            let answered = Set(found.keys).union(given)
            for destination in answered { misses[destination] = nil }
            let lost = state.withLock { $0.loaded(found, of: answered, at: dispatcher.clock.now) }
            if lost > 0 {
                Log.error("sender.content.lost", ["partition": "\(partition)", "count": lost])
                for destination in given { PushSenderMetrics.count(destination.kind, .dropped, "contentLost") }
                noteUnsent()
            }
            for ring in [Ring.ready, .changed] { bell.ring(ring) }
            if missing.count > given.count { try await Time.sleep(for: Self.passPause) }
        }
    }

    /// - Returns: the contents, and false if more were asked for than are held at once.
    private func contents(
        of asked: Set<PushDestination>
    ) async throws -> ([PushDestination: (name: SourcePosition, bytes: [UInt8])], isWhole: Bool) {
        let place = TopicPartition(parts.layout.pushState, partition.partition)
        var found: [PushDestination: (name: SourcePosition, bytes: [UInt8])] = [:]
        var bytes = 0
        var isWhole = true
        try await parts.log.readToEnd(of: place) { entry in
            guard let key = entry.key, let (destination, isContent) = PushDestination.reading(key), isContent,
                asked.contains(destination)
            else { return }
            bytes -= found.removeValue(forKey: destination)?.bytes.count ?? 0
            guard let value = entry.value,
                let name = try? PushEntry(decoding: value).source?.position
            else { return }
            guard bytes + value.count <= self.parts.settings.contentBytesMax || found.isEmpty else {
                isWhole = false
                return
            }
            found[destination] = (name, value)
            bytes += value.count
        }
        return (found, isWhole)
    }

    /// Has each device that missed something sent one push. The position moves behind the gap only then, so that a
    /// crash before that asks again, for the rows that have no newer push by then.
    func makeUp(for rows: MissedRows, before next: SourcePosition?) async throws {
        if let missed = parts.missed {
            try await missed.missed(by: rows.lines, before: next) { line, bytes, count in
                guard var arrival = try PushArrival.reading(bytes).first else { return }
                let now = self.dispatcher.clock.now
                (arrival.push.merged, arrival.push.handed) = (count, now)
                arrival.push.changes = max(count, arrival.push.changes)
                self.state.withLock {
                    $0.take(arrival.push, for: arrival.destination, of: arrival.user, at: now)
                }
                self.noteUnsent()
                for ring in [Ring.ready, .changed] { self.bell.ring(ring) }
            }
        }
        state.withLock { state in
            (state.position.offset, state.position.incarnation) = (rows.start.offset, rows.start.incarnation)
        }
        // Committed also where nobody missed anything, or the next sender would look again.
        ahead.withLock { $0 += 1 }
        bell.ring(.changed)
    }
}

/// The rows of a stored state behind whose position entries of `pushes` are gone.
struct MissedRows: Sendable {
    let lines: [MissedLine]
    /// The position of the first entry that is kept.
    let start: LogPosition

    init(_ stored: [[UInt8]: [UInt8]], start: LogPosition) {
        self.start = start
        lines = stored.compactMap { key, value in
            guard let (destination, isContent) = PushDestination.reading(key), !isContent,
                let place = try? PushPlace(decoding: value)
            else { return nil }
            return MissedLine(
                user: place.user, device: destination.device, epoch: destination.epoch, kind: destination.kind,
                settled: place.pending?.name ?? place.settled, sequence: place.sequence)
        }
    }
}
