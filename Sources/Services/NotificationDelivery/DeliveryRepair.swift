package import CloudMessages
package import CloudModel
package import EventLog
import ProtocolBuffers
import Waiting

/// Changes of stage 2's state by an operator. Taking a partition over fences its owner.
package struct DeliveryRepair: Sendable {
    /// The state of all partitions, as an operator looks at it.
    package struct Found: Sendable {
        /// Devices that delivery writes to, or will after the waiting entries of `deliveries`, with their users.
        package var devices: [(user: UserRecordName, device: DeviceID, epoch: DeviceEpoch)] = []
        /// Subscriptions with an open or waiting backfill, by user and the sequence of their creation.
        package var pasts: [(user: UserRecordName, created: CommitSequence)] = []
        /// The changes from which on hits may be missing, by partition; absent where one partition of `deliveries` has
        /// seen no hit of it: they may be missing from the start.
        package var matched: [TopicPartition: MatchedChanges] = [:]
    }

    private let log: any EventLog
    private let layout: TopicLayout

    package init(log: any EventLog, layout: TopicLayout) {
        self.log = log
        self.layout = layout
    }

    /// Reads the state of all partitions up to the reported ends, and the entries of `deliveries` after it.
    package func find() async throws -> Found {
        var found = Found()
        var matched: [TopicPartition: (partitions: Int32, changes: MatchedChanges)] = [:]
        let incarnation = try await log.incarnation(of: layout.deliveries)
        for number in 0..<layout.partitions {
            var next: Int64? = 0
            for (key, value) in try await log.lastValues(of: TopicPartition(layout.deliveryState, number)) {
                if key == PartitionDelivery.positionsKey {
                    let positions = try PartitionState(decoding: value)
                    // A recreated topic lacks the entries that the state waits for.
                    next = positions.incarnation == incarnation ? positions.next : nil
                    for (partition, last) in lastHits(of: positions) {
                        matched[partition, default: (0, MatchedChanges())].partitions += 1
                        matched[partition]?.changes.lower(to: last)
                    }
                } else if let user = try? UserRecordName(String(decoding: key, as: UTF8.self)),
                    let state = try? UserState(decoding: value)
                {
                    found.devices += state.devices.map { (user, DeviceID(trusted: $0.device), DeviceEpoch($0.epoch)) }
                    found.pasts += state.backfills.map { (user, CommitSequence($0.created)) }
                }
            }
            guard let next else { continue }
            try await log.readToEnd(of: TopicPartition(layout.deliveries, number), from: next) { entry in
                if let event = entry.value.flatMap({ try? DeliveryEntry(decoding: $0) }) { found.take(event) }
            }
        }
        for (partition, seen) in matched where seen.partitions == layout.partitions {
            found.matched[partition] = seen.changes
        }
        return found
    }

    /// The names of the last hits of each partition of changes; of several sources the latest is in use.
    private func lastHits(of state: PartitionState) -> [TopicPartition: SourcePosition] {
        var last: [TopicPartition: SourcePosition] = [:]
        // Earlier builds named hits by the offset of the change. Those names are older than all others.
        let (former, named) = (
            state.seen.map(\.position).filter { $0.source.origin.hasPrefix("changes.") },
            state.seen.map(\.position).filter { $0.source.origin.hasPrefix("hits.") }
        )
        for position in former {
            last[TopicPartition(TopicName(layout.prefix + position.source.origin), position.source.partition)] =
                position
        }
        for position in named {
            let database = DatabaseScope.allCases.first { position.source.origin == DeliveryEntry.hitsOrigin($0) }
            guard let database else { continue }
            last[TopicPartition(layout.changes(database), position.source.partition)] = position
        }
        return last
    }

    /// Keeps the state and lets `deliveries`, which was recreated, be read from its start. Hits that waited there for a
    /// backfill are lost; the backfill itself, and its marks, come again from stage 1 (`MatchRepair.rewind`).
    package func restart() async throws {
        for number in 0..<layout.partitions {
            try await withSession(number) { session, start in
                var changes: [[UInt8]: [UInt8]?] = [:]
                for (key, value) in session.initialState where key != PartitionDelivery.positionsKey {
                    let user = UserRecordName(key: key)
                    guard var delivery = try? UserDelivery(user: user, layout: layout, decoding: value),
                        delivery.forgetHeld() > 0
                    else { continue }
                    changes[key] = .some(delivery.encoded())
                }
                // Stage 2 refuses an offset without it, and the sweep of feeds trusts what it says.
                let known = try session.initialState[PartitionDelivery.positionsKey].map {
                    try PartitionState(decoding: $0)
                }
                changes[PartitionDelivery.positionsKey] =
                    PartitionState(
                        seen: known?.seen ?? [], next: start, days: known?.days ?? 0, lastDay: known?.lastDay ?? 0
                    ).encoded()
                try await session.commit(changes, offset: start, at: LogTimestamp(milliseconds: 0))
            }
        }
    }

    /// Rebuilds the state from the journals and lets `deliveries` be read from its start: repeated entries have their
    /// old names, so readers drop them, and later ones follow the journal's last entry. Their names after a loss or a
    /// restore are known from the state that is left; without one the first names are taken.
    /// - Returns: the number of journals.
    package func rebuild() async throws -> Int {
        let incarnation = try await log.incarnation(of: layout.deliveries)
        var count = 0
        for number in 0..<layout.partitions {
            let names = try await lastNames(in: TopicPartition(layout.journals, number))
            count += names.count
            try await withSession(number) { session, start in
                var changes: [[UInt8]: [UInt8]?] = names.mapValues {
                    UserState(journal: SourcePositionMessage($0)).encoded()
                }
                for key in session.initialState.keys where changes[key] == nil { changes[key] = .some(nil) }
                var state = PartitionState(next: start)
                let known = session.initialState[PartitionDelivery.positionsKey].flatMap {
                    try? PartitionState(decoding: $0)
                }
                if let known, known.incarnation == incarnation {
                    state.incarnation = incarnation
                    (state.losses, state.generations) = (known.losses, known.generations)
                }
                changes[PartitionDelivery.positionsKey] = state.encoded()
                try await session.commit(changes, offset: start, at: LogTimestamp(milliseconds: 0))
            }
        }
        return count
    }

    /// Gives the outputs of all later entries of `deliveries` names that no journal has: the log was restored, and a
    /// journal may have kept outputs of entries that `deliveries` has lost. Outputs of the present entries keep their
    /// names, as a journal may have these, too. States and offsets stay as they are.
    ///
    /// State and offset that were lost apart are left alone: stage 2 refuses them.
    package func beginGeneration() async throws {
        let incarnation = try await log.incarnation(of: layout.deliveries)
        for number in 0..<layout.partitions {
            try await withSession(number) { session, start in
                // Read while no other process applies entries.
                let input = TopicPartition(layout.deliveries, number)
                let end = try await log.bounds(of: [input])[input]?.end ?? start
                let isNew = session.initialState.isEmpty && (session.initialOffset ?? start) == 0
                let known = session.initialState[PartitionDelivery.positionsKey]
                guard let offset = session.initialOffset ?? (isNew ? 0 : nil), isNew || known != nil else { return }
                var state = try known.map { try PartitionState(decoding: $0) } ?? PartitionState()
                // In another topic all names are new.
                guard [0, incarnation].contains(state.incarnation) else { return }
                state.incarnation = incarnation
                state.generations.removeAll { $0.from >= end }
                state.generations.append(NameGeneration(from: end, number: UInt64.random(in: 1 ... .max)))
                // Readers remember the last names of as many sources.
                state.generations = Array(state.generations.suffix(LogPosition.incarnationsMax))
                try await session.commit(
                    [PartitionDelivery.positionsKey: state.encoded()], offset: offset,
                    at: LogTimestamp(milliseconds: 0))
            }
        }
    }

    private func withSession(
        _ number: Int32, _ body: (_ session: any LogStateSession, _ start: Int64) async throws -> Void
    ) async throws {
        let input = TopicPartition(layout.deliveries, number)
        let start = try await log.bounds(of: [input])[input]?.start ?? 0
        let session = try await log.takeOver(NotificationDelivery.claim(number, layout))
        try await Task.closing({ await session.close() }) { try await body(session, start) }
    }

    /// The last name in the journal of each user who has one, by key.
    private func lastNames(in partition: TopicPartition) async throws -> [[UInt8]: SourcePosition] {
        var names: [[UInt8]: SourcePosition] = [:]
        // The last entries may be repeats: the last name is the highest one of its source.
        try await log.readToEnd(of: partition) { entry in
            guard let key = entry.key else { return }
            guard let value = entry.value else {
                names[key] = nil
                return
            }
            guard let name = (try? FeedEntry(decoding: value))?.source?.position else { return }
            if let known = names[key], known.source == name.source, !name.isAbove(known) { return }
            names[key] = name
        }
        return names
    }
}

extension DeliveryRepair.Found {
    /// Takes over an event that delivery has not read yet.
    fileprivate mutating func take(_ entry: DeliveryEntry) {
        let user = UserRecordName(trusted: entry.user)
        switch entry.event {
        case .registered(let event)?:
            devices.removeAll { $0.device.rawValue == event.device && $0.user == user }
            devices.append((user, DeviceID(trusted: event.device), DeviceEpoch(event.epoch)))
        case .unregistered(let event)?:
            devices.removeAll { $0.device.rawValue == event.device && $0.epoch.rawValue == event.epoch }
        case .userRemoved?:
            devices.removeAll { $0.user == user }
            pasts.removeAll { $0.user == user }
        case .backfillBegun(let event)?: pasts.append((user, CommitSequence(event.created)))
        case .backfillCancelled(let event)?:
            pasts.removeAll { $0.user == user && $0.created.rawValue == event.created }
        default: break
        }
    }
}
