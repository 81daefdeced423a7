package import CloudMessages
import CloudModel
package import EventLog
import ProtocolBuffers
import Synchronization
import Telemetry
import Timing
import Waiting

/// Publishes for the record-service what became of pushes: dead addresses, and the last results of the others. Repeats
/// do no harm.
package final class PushReports: Sendable {
    private struct Place: Hashable {
        var device: DeviceID
        var kind: CourierKind
    }

    private struct Known {
        var sequence: CommitSequence
        /// The status of the answer; nil where none came.
        var status: Int?
        /// Nil after a success.
        var reason: String?
        var time: Timestamp
    }

    private struct State {
        /// Results that are to be published.
        var pending: [Place: PushResult] = [:]
        /// The results that the record-service knows, or will in a moment.
        var known: [Place: Known] = [:]
        var writer: (any LogWriter)?
    }

    private enum Ring: Hashable { case noted }

    /// The time after which a result is published again that changed nothing but its time, and any other.
    private static let pauseMilliseconds: (same: Int64, other: Int64) = (3_600_000, 10_000)
    /// The time for which results are gathered.
    private static let gathering = Duration.seconds(2)
    /// Results of one command, some 100 bytes each.
    private static let resultsMax = 500
    /// Results that are published after one gathering; the others follow after the next. A crowd whose first pushes are
    /// sent together must not fill the store's writer: the record-service writes a row for each.
    static let resultsAtOnceMax = 2_000
    /// Addresses whose results are remembered. Beyond them all are forgotten, and published again.
    private static let knownMax = 100_000

    private let log: any EventLog
    private let layout: TopicLayout
    private let state = Mutex(State())
    private let bell = Bell<Ring>()

    /// Reports for the record-service of a container's environment.
    package init(log: any EventLog, layout: TopicLayout) {
        self.log = log
        self.layout = layout
    }

    /// Has an address removed; returns when the log has the request.
    func remove(
        _ address: RegisteredPushAddress, of device: DeviceID, for reason: PushFailure
    ) async throws {
        let removal = RemovePushAddress(
            device: device.rawValue, kind: address.address.kind.rawValue, sequence: address.sequence.rawValue,
            reason: reason.reason)
        try await publish([(device, Command(command: .removePushAddress(removal)))])
    }

    /// Notes the result of a push.
    func note(_ outcome: PushOutcome, of address: RegisteredPushAddress, of device: DeviceID, at time: Timestamp) {
        let place = Place(device: device, kind: address.address.kind)
        let (reason, time) = Self.shown(outcome.failure, place.kind, time)
        let status = outcome.status
        let isNew = state.withLock { state in
            if let known = state.known[place], known.sequence == address.sequence {
                let isSame = known.reason == reason && known.status == status
                let pause = isSame ? Self.pauseMilliseconds.same : Self.pauseMilliseconds.other
                if time.milliseconds - known.time.milliseconds < pause { return false }
            }
            if state.known.count >= Self.knownMax { state.known.removeAll() }
            state.known[place] = Known(sequence: address.sequence, status: status, reason: reason, time: time)
            var result = state.pending[place] ?? PushResult()
            if result.sequence != address.sequence.rawValue {
                result = PushResult(
                    device: device.rawValue, kind: place.kind.rawValue, sequence: address.sequence.rawValue)
            }
            if let reason {
                (result.failed, result.reason) = (time.milliseconds, reason)
                result.failedStatus = status.map { Int32($0) }
            } else {
                result.succeeded = time.milliseconds
                result.succeededStatus = status.map { Int32($0) }
            }
            guard state.pending[place] != nil || state.pending.count < Self.knownMax else { return false }
            state.pending[place] = result
            return true
        }
        if isNew { bell.ring(.noted) }
    }

    /// The reason and the time that the device's user may see. Users choose the hosts of Web Push and webhooks: why there
    /// was no answer, and how soon that was known, would show them the network in which this program runs.
    private static func shown(
        _ failure: PushFailure?, _ kind: CourierKind, _ time: Timestamp
    ) -> (reason: String?, time: Timestamp) {
        guard let failure, kind != .apns else { return (failure?.reason, time) }
        let isFault = failure.status == nil && PushFault(rawValue: failure.reason) != nil
        let minute = time.milliseconds - time.milliseconds % 60_000
        return (isFault ? PushFault.other.rawValue : failure.reason, Timestamp(milliseconds: minute))
    }

    /// Publishes results until the task is cancelled.
    func run() async {
        while !Task.isCancelled {
            do {
                try await bell.wait(for: .noted) { self.state.withLock { $0.pending.isEmpty ? nil : () } }
                try await Time.sleep(for: Self.gathering)
                try await publishResults()
            } catch {
                if Task.isCancelled { break }
                Log.warning("sender.results.failed", ["error": "\(error)"])
                try? await Time.sleep(for: Self.gathering)
            }
        }
        await state.withLock { $0.writer.take() }?.close()
    }

    private func publishResults() async throws {
        let pending = state.withLock { state in
            let some = state.pending.prefix(Self.resultsAtOnceMax)
            for (place, _) in some { state.pending[place] = nil }
            return some.sorted { ($0.key.device, $0.key.kind.rawValue) < ($1.key.device, $1.key.kind.rawValue) }
        }
        let parts = Dictionary(grouping: pending) { layout.partition(of: Array($0.key.device.rawValue.utf8)) }
        var commands: [(DeviceID, Command)] = []
        for part in parts.values {
            for start in stride(from: 0, to: part.count, by: Self.resultsMax) {
                let some = part[start..<min(start + Self.resultsMax, part.count)]
                let results = PushResults(results: some.map(\.value))
                commands.append((some.first!.key.device, Command(command: .pushResults(results))))
            }
        }
        do {
            try await publish(commands)
        } catch {
            state.withLock { state in
                for (place, result) in pending where state.pending[place] == nil { state.pending[place] = result }
            }
            throw error
        }
    }

    private func publish(_ commands: [(device: DeviceID, command: Command)]) async throws {
        let writer = try await writer()
        let entries = commands.map { device, command in
            let key = Array(device.rawValue.utf8)
            return OutgoingEntry(
                TopicPartition(layout.commands, layout.partition(of: key)), key: key, value: command.encoded(),
                timestamp: LogTimestamp(milliseconds: WallClock.milliseconds))
        }
        do {
            try await writer.append(entries)
        } catch {
            // It may be dead; the next call makes another.
            await state.withLock { $0.writer.take() }?.close()
            throw error
        }
    }

    private func writer() async throws -> any LogWriter {
        if let writer = state.withLock({ $0.writer }) { return writer }
        let made = try await log.makeWriter()
        let (writer, spare) = state.withLock { state -> (any LogWriter, (any LogWriter)?) in
            if let writer = state.writer { return (writer, made) }
            state.writer = made
            return (made, nil)
        }
        await spare?.close()
        return writer
    }
}
