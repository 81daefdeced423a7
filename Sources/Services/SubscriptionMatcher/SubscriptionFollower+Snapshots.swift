import CloudMessages
import CloudModel
import Cryptography
import EventLog
import Matching
import Poison
import ProtocolBuffers
import Synchronization
import Telemetry
import Timing
import Waiting

/// The table on the disk, so that a start need not read and sort all subscriptions again (`DESIGN.md`, Snapshots).
extension SubscriptionFollower {
    static let snapshotSeconds = Histogram(
        "fanfare_subscription_matcher_snapshot_load_seconds",
        "From opening a snapshot of the table to its last version.")

    /// Versions in one part of a snapshot, written and read at a time.
    private static let blockVersions = 2048
    /// Versions that are put into the table at a time.
    private static let loadedMax = 2048
    /// A snapshot is looked after so often.
    private static let lookingPause = Duration.seconds(30)
    /// Without changes a new one is taken after this time, as old ones are not used.
    private static let snapshotAgeMax = Duration.milliseconds(TableSnapshots.ageMax / 4)

    // MARK: Reading

    /// Fills the table from a snapshot.
    /// - Returns: false when there is none that may be used; the table is empty then.
    func load(_ identity: TableIdentity) async throws -> Bool {
        guard let snapshots else { return false }
        let began = Time.now
        do {
            guard let (file, header) = try snapshots.claim(identity) else { return false }
            defer { file.close() }
            let marks = TableMarks(header)
            guard try await marks.hold(in: partition, before: header.offset, on: log) else {
                throw SnapshotFailure("the topic has other entries now: the log was restored, or lost some")
            }
            let tombstone = try await self.tombstone(of: header)
            await applying.run { [table] _ in
                table.withLock { $0.reserve(min(SubscriptionIndex.idsMax, Int(clamping: max(0, header.versions)))) }
            }
            let count = try await fill(from: file, header)
            let reached = CommitSequence(header.reached)
            let lastBackfills = await applying.run { [table, versionsShare] _ in
                table.withLock {
                    $0.noteReached(reached)
                    versionsShare.set($0.versionCount)
                    return $0.lastBackfills
                }
            }
            snapshots.keep(identity)
            progress.withLock {
                $0.reached = reached
                $0.readTo = header.offset
                $0.marks = marks
                $0.unconfirmed = tombstone
                $0.appliedSince = 0
                $0.lastBackfills = lastBackfills
            }
            bell.ring(0)
            let taken = Time.now - began
            Self.snapshotSeconds.record(taken)
            Log.info(
                "snapshot.loaded",
                ["scope": "\(layout.scope)", "versions": count, "offset": header.offset, "taken": "\(taken)"])
            return true
        } catch {
            try Task.checkCancellation()
            Log.warning("snapshot.refused", ["scope": "\(layout.scope)", "error": "\(error)"])
            await applying.run { [table] _ in table.withLock { $0 = SubscriptionTable() } }
            return false
        }
    }

    /// Returns the tombstone that was written for a snapshot. While the topic has it, compaction has removed no later one,
    /// which the table would miss: no clock can say that, as clocks leap and machines rest.
    /// - Throws: `SnapshotFailure` if the topic does not have it.
    private func tombstone(of header: SnapshotHeader) async throws -> EntryMark {
        guard let mark = header.tombstone.map({ EntryMark(offset: $0.offset, hash: $0.hash) }),
            try await TableMarks.has(mark, in: partition, on: log)
        else {
            throw SnapshotFailure("the topic has lost the tombstone of the snapshot, and may have lost later ones")
        }
        return mark
    }

    /// Looks again for the tombstone of the snapshot that the table was made of, when everything behind it is read.
    /// - Throws: `SnapshotFailure` if compaction removed it meanwhile.
    func confirm() async throws {
        guard let mark = progress.withLock({ $0.unconfirmed }) else { return }
        guard try await TableMarks.has(mark, in: partition, on: log) else {
            throw SnapshotFailure("the topic lost the tombstone of the snapshot while it was read")
        }
        progress.withLock { $0.unconfirmed = nil }
    }

    /// A block of versions, decoded.
    private struct Block: Sendable {
        /// With the places at which the index has them.
        var placed: [(version: PreparedVersion, place: Int)] = []
        /// Those that the index does not have.
        var others: [PreparedVersion] = []
    }

    /// Checks and decodes parts on all threads, a few ahead, and puts their versions into the table in between.
    /// - Returns: the number of versions.
    private func fill(from file: SnapshotFile, _ header: SnapshotHeader) async throws -> Int {
        let hasIndex = try await adoptIndex(from: file, header)
        var others: [PreparedVersion] = []
        var count = 0
        try await forEachPart(of: file) { [poison, layout] part in
            try Self.block(part, layout, hasIndex: hasIndex, poison)
        } use: { block in
            count += block.placed.count + block.others.count
            if hasIndex { others += block.others }
            try await self.applying.run { [table, poison] _ in
                Result {
                    try table.withLock { table in
                        for (version, place) in block.placed { try table.place(version, at: place) }
                        if !hasIndex { for version in block.others { Self.load(version, into: &table, poison) } }
                    }
                }
            }.get()
        }
        guard hasIndex else { return count }
        await applying.run { [table, poison, others] _ in
            table.withLock { table in
                table.settle(poison)
                for version in others { Self.load(version, into: &table, poison) }
            }
        }
        return count
    }

    /// Takes over the image of the index, if this very program wrote it; it is passed by otherwise.
    private func adoptIndex(from file: SnapshotFile, _ header: SnapshotHeader) async throws -> Bool {
        guard header.imageParts > 0, let snapshots else { return false }
        let isOwn = await threads.run { _ in snapshots.program == header.program }
        var pieces: [[UInt8]] = []
        try await forEachPart(of: file, count: Int(clamping: header.imageParts)) {
            $0
        } use: {
            if isOwn { pieces.append($0) }
        }
        guard isOwn else { return false }
        let image = IndexImage(pieces: pieces)
        try await applying.run { [table] _ in Result { try table.withLock { try $0.adopt(image) } } }.get()
        return true
    }

    /// Reads parts and checks their hashes; makes something of each on all threads, a few ahead, and hands that on in
    /// order.
    /// - Parameter count: so many parts; nil for all up to the end.
    private func forEachPart<Made: Sendable>(
        of file: SnapshotFile, count: Int? = nil, make: @escaping @Sendable ([UInt8]) throws -> Made,
        use: (Made) async throws -> Void
    ) async throws {
        var making: [Task<Result<Made, any Error>, Never>] = []
        var left = count ?? .max
        while true {
            while left > 0, making.count <= threads.count {
                let read = try await applying.run { _ in Result { try file.next() } }.get()
                guard let read else {
                    guard count == nil else { throw SnapshotFailure("it ends within the image of the index") }
                    left = 0
                    break
                }
                left -= 1
                making.append(
                    Task { [threads] in
                        await threads.run { _ in
                            Result {
                                guard SHA256.hash(read.part) == read.hash else {
                                    throw SnapshotFailure("the hash of a part is another")
                                }
                                return try make(read.part)
                            }
                        }
                    })
            }
            guard !making.isEmpty else { return }
            try await use(try await making.removeFirst().value.get())
        }
    }

    private static func block(
        _ part: [UInt8], _ layout: TopicLayout, hasIndex: Bool, _ poison: PoisonWatch?
    ) throws -> Block {
        var block = Block()
        for message in try SnapshotBlock(decoding: part).versions {
            // What a process has died at is looked at like an entry of the topic.
            if hasIndex, !message.isOutside, poison?.knows(message.offset) != true {
                block.placed.append((try PreparedVersion(message, layout, isIndexed: true), Int(message.place)))
            } else {
                block.others.append(try PreparedVersion(message, layout))
            }
        }
        return block
    }

    /// The entry is marked as when it is read from the topic: a process may die at what the index makes of it.
    private static func load(_ loaded: PreparedVersion, into table: inout SubscriptionTable, _ poison: PoisonWatch?) {
        poison.meet(loaded.packed.offset) { deaths in
            table.apply(loaded, isSuspect: deaths > 0)
        }
    }

    // MARK: Writing

    /// Takes a snapshot now and then: soon after the table was read from the topic, after many events, and before the
    /// last one is too old.
    func takeSnapshots(_ identity: TableIdentity, into snapshots: TableSnapshots) async {
        var last = Time.now
        while !Task.isCancelled {
            try? await Time.sleep(for: Self.lookingPause)
            if Task.isCancelled { return }
            let applied = progress.withLock { $0.appliedSince }
            let versions = await versionCount()
            let isDue = applied > max(1000, versions / 10) || Time.now - last > Self.snapshotAgeMax
            guard isDue else { continue }
            do {
                try await takeSnapshot(identity, into: snapshots)
                last = Time.now
            } catch {
                Log.warning("snapshot.failed", ["scope": "\(layout.scope)", "error": "\(error)"])
            }
        }
    }

    /// The number of versions in the table.
    func versionCount() async -> Int { await threads.run { [table] _ in table.withSharedLock { $0.versionCount } } }

    /// Writes the table, some versions at a time, while matching and events go on. Later versions may be in it or not:
    /// they are behind the offset, and are read again as a set.
    func takeSnapshot(_ identity: TableIdentity, into snapshots: TableSnapshots) async throws {
        let former = progress.withLock { $0.tombstone }
        try await log.withWriter { writer in
            try await writer.append([
                OutgoingEntry(
                    partition, key: TopicLayout.guardKey(own), value: nil,
                    timestamp: LogTimestamp(milliseconds: WallClock.milliseconds))
            ])
        }
        try await wait { $0.tombstone != former }
        let began = progress.withLock { progress in
            defer { progress.appliedSince = 0 }
            return progress
        }
        await threads.run { [table] _ in table.withLock { $0.beginSnapshot() } }
        try await Task.closing({ await threads.run { [table] _ in table.withLock { $0.endSnapshot() } } }) {
            try await writeSnapshot(began, identity, into: snapshots)
        }
    }

    private func writeSnapshot(_ began: Progress, _ identity: TableIdentity, into snapshots: TableSnapshots)
        async throws
    {
        let file = try await threads.run { [table] _ in
            let isKnown = !snapshots.program.isEmpty
            let (versions, image) = table.withSharedLock {
                ($0.versionCount, isKnown ? $0.image() : IndexImage(pieces: []))
            }
            return Result {
                try snapshots.begin(
                    identity, offset: began.readTo, marks: began.marks, tombstone: began.tombstone,
                    reached: began.reached, versions: versions, image: image)
            }
        }.get()
        defer { file.close() }
        var next = 0
        while true {
            try Task.checkCancellation()
            let places = next..<(next + Self.blockVersions)
            let count = try await threads.run { [table] _ in
                Result {
                    let (versions, count) = table.withSharedLock { ($0.versions(at: places), $0.placeCount) }
                    if !versions.isEmpty {
                        try file.append(SnapshotBlock(versions: versions).encoded())
                    }
                    return count
                }
            }.get()
            next = places.upperBound
            if next >= count { break }
        }
        try await threads.run { _ in Result { try snapshots.publish(file, identity) } }.get()
    }
}
