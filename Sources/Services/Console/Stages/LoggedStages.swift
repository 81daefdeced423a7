package import CloudMessages
package import CloudModel
package import EventLog
import ProtocolBuffers
package import Stages

/// The progress of all stages of a container's environment, whichever process runs them: from ends and committed offsets
/// of the log, never from another process; with the waits of late entries.
package struct LoggedStages: Sendable {
    /// The known progress.
    package struct Answer: Sendable {
        /// In the order of stages and partitions.
        package var lines: [StageLine]
        /// The reasons why some stages are not among them.
        package var obstacles: [String]
    }

    private let log: any EventLog
    private let layout: TopicLayout
    private let now: @Sendable () -> Timestamp

    package init(_ log: any EventLog, _ layout: TopicLayout, now: @escaping @Sendable () -> Timestamp) {
        self.log = log
        self.layout = layout
        self.now = now
    }

    /// Reads the progress.
    /// - Parameter own: that of this process.
    package func read(own: [StageProgress.Status] = []) async -> Answer {
        let mine = own.filter { $0.scope == "\(layout.scope)" }
        var answer = Answer(lines: mine.map(Self.line), obstacles: [])
        let known = Set(mine.map { Key(stage: $0.stage, partition: $0.partition) })
        for (stage, group, partitions) in stages {
            let others = partitions.filter { !known.contains(Key(stage: stage, partition: $0)) }
            guard !others.isEmpty else { continue }
            do {
                answer.lines += try await lines(stage, group, others)
            } catch {
                answer.obstacles.append("\(stage.rawValue): \(error)")
            }
        }
        let order = StageProgress.Name.allCases
        answer.lines.sort { left, right in
            let places = (order.firstIndex(of: left.stage) ?? 0, order.firstIndex(of: right.stage) ?? 0)
            return places.0 == places.1 ? left.partition < right.partition : places.0 < places.1
        }
        await addWaits(&answer.lines)
        return answer
    }

    private struct Key: Hashable {
        var stage: StageProgress.Name
        var partition: TopicPartition
    }

    /// The stages whose positions a group commits, with the partitions that they read.
    private var stages: [(StageProgress.Name, GroupName, [TopicPartition])] {
        func partitions(_ topic: TopicName) -> [TopicPartition] {
            (0..<layout.partitions).map { TopicPartition(topic, $0) }
        }
        return [
            (.match, layout.matchingGroup, DatabaseScope.allCases.flatMap { partitions(layout.changes($0)) }),
            (.deliver, layout.deliveryGroup, partitions(layout.deliveries)),
            (.push, layout.pushGroup, partitions(layout.pushes)),
        ] + (layout.hasFeedTopics ? [(.feeds, layout.feedTopicsGroup, partitions(layout.journals))] : [])
    }

    private static func line(_ status: StageProgress.Status) -> StageLine {
        StageLine(
            stage: status.stage, partition: status.partition, own: status, next: status.progress.next,
            end: status.progress.end)
    }

    private func lines(
        _ stage: StageProgress.Name, _ group: GroupName, _ partitions: [TopicPartition]
    ) async throws -> [StageLine] {
        // The ends first: the other way round, new entries would look like a lag.
        let bounds = try await log.bounds(of: partitions)
        let committed = try await log.committedOffsets(of: group, partitions) ?? [:]
        return partitions.compactMap { partition in
            guard let held = bounds[partition] else { return nil }
            // Without pushes to send no sender runs; what a stage has not begun waits from the start.
            guard stage != .push || committed[partition] != nil else { return nil }
            let next = min(max(committed[partition] ?? held.start, held.start), held.end)
            return StageLine(stage: stage, partition: partition, next: next, end: held.end)
        }
    }

    // MARK: Waits

    /// Reads the first entry that is not done in each of the partitions that are behind most.
    private func addWaits(_ lines: inout [StageLine]) async {
        let late = lines.indices.filter { lines[$0].entriesBehind > 0 }
            .sorted { lines[$0].entriesBehind > lines[$1].entriesBehind }.prefix(Limits.stageWaitsMax)
        for index in late { lines[index].waits = await waits(lines[index]) }
    }

    /// The waits of the first entry that is not done; nil where it cannot be read.
    private func waits(_ line: StageLine) async -> StageLine.Waits? {
        guard let next = line.next, let end = line.end,
            let entry = try? await entry(from: next, to: end, of: line.partition)
        else { return nil }
        let waited = seconds(from: Timestamp(entry.appended), to: now())
        switch line.stage {
        case .match:
            guard let value = entry.value, let event = try? ChangeEvent(decoding: value), event.committed > 0 else {
                return StageLine.Waits(stage1: waited)
            }
            let committed = Timestamp(milliseconds: event.committed)
            return StageLine.Waits(
                outbox: seconds(from: committed, to: Timestamp(entry.appended)), stage1: waited)
        case .deliver: return await deliveryWaits(entry, waited)
        case .feeds: return StageLine.Waits(stage3: waited)
        case .push: return StageLine.Waits(push: waited)
        case .state, .commands: return nil
        }
    }

    private func deliveryWaits(_ entry: LogEntry, _ waited: Double) async -> StageLine.Waits {
        var waits = StageLine.Waits(stage2: waited)
        guard let value = entry.value, let message = try? DeliveryEntry(decoding: value), message.time > 0 else {
            return waits
        }
        let (committed, appended) = (Timestamp(milliseconds: message.time), Timestamp(entry.appended))
        guard let source = message.source?.position, let change = await change(source) else {
            // A device event: the outbox alone was before.
            waits.outbox = seconds(from: committed, to: appended)
            return waits
        }
        waits.outbox = seconds(from: committed, to: Timestamp(change.appended))
        waits.stage1 = seconds(from: Timestamp(change.appended), to: appended)
        return waits
    }

    /// The entry among the changes that a delivery was made from; nil where it is not kept, or was no change.
    private func change(_ source: SourcePosition) async -> LogEntry? {
        let topic = TopicName(layout.prefix + source.source.origin)
        guard DatabaseScope.allCases.contains(where: { layout.changes($0) == topic }) else { return nil }
        let partition = TopicPartition(topic, source.source.partition)
        return try? await entry(from: source.offset, to: source.offset + 1, of: partition)
    }

    /// The first entry at or behind an offset below `end`; nil where there is none.
    private func entry(from offset: Int64, to end: Int64, of partition: TopicPartition) async throws -> LogEntry? {
        let page = try await PartitionPage.read(partition, from: .offset(offset), limit: 1, on: log)
        return page?.entries.first { $0.offset < end }
    }

    /// Clocks of machines differ by some milliseconds: less than nothing is nothing.
    private func seconds(from earlier: Timestamp, to later: Timestamp) -> Double {
        max(0, Double(later.milliseconds - earlier.milliseconds) / 1000)
    }
}
