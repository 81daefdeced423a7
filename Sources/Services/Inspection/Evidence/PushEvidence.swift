import CloudMessages
import CloudModel
import EventLog
import ProtocolBuffers

/// The evidence of the topics about the push of a notification: its entry in `pushes`, and the rows of `push-state`.
struct PushEvidence {
    /// An entry of `pushes`.
    struct Entry {
        var offset: Int64
        /// The addresses that it asks a push for, without web couriers.
        var destinations: [PushLogs.Destination]
    }

    /// The state of an address in `push-state`.
    struct Place {
        var waiting: WaitingPushMessage?
        var settled: SourcePosition?
    }

    var partition: TopicPartition
    /// Nil where no entry of that name is kept.
    var entry: Entry?
    /// The time of the oldest entry that is kept; nil where none is.
    var first: Timestamp?
    /// True if no entry was ever removed.
    var isWhole = false
    /// The next offset of the push senders; nil where there was never one.
    var next: Int64?
    var places: [PushLogs.Destination: Place] = [:]

    /// Returns true if entries for a change of that time are kept.
    func isKept(since time: Timestamp?) -> Bool {
        if isWhole { return true }
        guard let first, let time else { return false }
        return time > first
    }

    /// Looks for the push of a user's notification; nil where there is no topic for pushes.
    static func find(
        _ name: SourcePosition, of user: UserRecordName, _ evidence: LogEvidence
    ) async throws -> PushEvidence? {
        let layout = evidence.layout
        var found = PushEvidence(partition: layout.pushes(of: user))
        // First the position of the senders: entries below it are in their state.
        found.next = try? await evidence.committed(layout.pushGroup, [found.partition])[found.partition]?.offset
        guard let pushes = try await evidence.reader(of: found.partition) else { return nil }
        let held = pushes.bounds
        found.isWhole = held.start == 0
        try await evidence.scan(pushes, from: held.start, to: held.end) { entry in
            found.first = Timestamp(milliseconds: entry.appended.milliseconds)
            return true
        }
        found.entry = try await entry(of: name, in: pushes, evidence)
        let state = TopicPartition(layout.pushState, found.partition.partition)
        _ = try await evidence.read(state) { entry in
            guard let destination = entry.key.flatMap({ Self.destination(ofKey: $0) }) else { return }
            guard let message = try? entry.value.map({ try PushStateMessage(decoding: $0) }) else {
                found.places[destination] = nil
                return
            }
            guard message.user == user.rawValue else { return }
            found.places[destination] = Place(waiting: message.waiting, settled: message.settled?.position)
        }
        return found
    }

    /// Looks for pushes that policies held, and that stand for a change under later names.
    func later(
        than name: SourcePosition, of change: CommitSequence, _ key: SubscriptionKey, _ evidence: LogEvidence
    ) async throws -> [(name: SourcePosition, push: PushEvidence)] {
        guard let pushes = try await evidence.reader(of: partition) else { return [] }
        let held = pushes.bounds
        var found: [(name: SourcePosition, push: PushEvidence)] = []
        try await evidence.scan(pushes, from: entry?.offset ?? held.start, to: held.end) { entry in
            guard let message = try? entry.value.map({ try PushEntry(decoding: $0) }),
                message.user == key.user.rawValue, let own = message.source?.position, own != name,
                message.notification?.standsFor(change, of: key) == true
            else { return false }
            var push = self
            push.entry = Entry(message, at: entry.offset)
            found.append((own, push))
            return false
        }
        return found
    }

    /// Looks for the entry by the order of names; only if it is not there, in all that is kept.
    private static func entry(
        of name: SourcePosition, in pushes: any EntryReader, _ evidence: LogEvidence
    ) async throws -> Entry? {
        let held = pushes.bounds
        let place = try await evidence.firstNotBefore(pushes) { entry in
            guard let own = (try? entry.value.map { try PushEntry(decoding: $0) })??.source?.position,
                own.source == name.source
            else { return nil }
            return name.isAbove(own)
        }
        var found: Entry?
        for range in [place..<held.end, held.start..<place] where found == nil {
            try await evidence.scan(pushes, from: range.lowerBound, to: range.upperBound) { entry in
                guard let message = try? entry.value.map({ try PushEntry(decoding: $0) }), message.hints.isEmpty,
                    message.source?.position == name
                else { return false }
                found = Entry(message, at: entry.offset)
                return true
            }
        }
        return found
    }

    /// The destination of a row; nil for other keys of `push-state`.
    private static func destination(ofKey key: [UInt8]) -> PushLogs.Destination? {
        let parts = key.split(separator: 0, omittingEmptySubsequences: false).map {
            String(decoding: $0, as: UTF8.self)
        }
        guard parts.count == 3, let epoch = Int64(parts[1]) else { return nil }
        return PushLogs.Destination(
            device: DeviceID(trusted: parts[0]), epoch: DeviceEpoch(epoch), kind: CourierKind(parts[2]))
    }
}

extension PushEvidence.Entry {
    init(_ message: PushEntry, at offset: Int64) {
        self.offset = offset
        destinations = message.targets.map {
            PushLogs.Destination(
                device: DeviceID(trusted: $0.device), epoch: DeviceEpoch($0.epoch), kind: CourierKind($0.courier))
        }.filter { $0.kind != .web }
    }
}
