import CloudMessages
import CloudModel
import Cryptography
import EventLog
import Matching
import ProtocolBuffers
import Stages
import Synchronization
import Telemetry
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
    /// One without news is taken anew after so long, as old ones are not used.
    private static let snapshotAgeMax = Duration.milliseconds(TableSnapshots.ageMax / 4)

    // MARK: Reading

    /// Fills the table from a snapshot.
    /// - Returns: false when there is none that may be used; the table is empty then.
    func load(_ identity: TableIdentity) async throws -> Bool {
        guard let snapshots else { return false }
        let began = ContinuousClock().now
        do {
            guard let (file, header) = try snapshots.claim(identity) else { return false }
            defer { file.close() }
            await applying.run { [table] _ in
                table.withLock { $0.reserve(min(SubscriptionIndex.idsMax, Int(clamping: max(0, header.versions)))) }
            }
            let count = try await fill(from: file)
            let reached = CommitSequence(header.reached)
            let lastBackfills = await applying.run { [table] _ in
                table.withLock {
                    $0.noteReached(reached)
                    Self.versions.set($0.versionCount)
                    return $0.lastBackfills
                }
            }
            snapshots.keep(identity)
            progress.withLock {
                $0.reached = reached
                $0.readTo = header.offset
                $0.appliedSince = 0
                $0.lastBackfills = lastBackfills
            }
            bell.ring(0)
            let taken = ContinuousClock().now - began
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

    /// Checks and decodes parts on all threads, a few ahead, and puts their versions into the table in between.
    private func fill(from file: SnapshotFile) async throws -> Int {
        var decoding: [Task<Result<[PreparedVersion], any Error>, Never>] = []
        var count = 0
        var isAtEnd = false
        while true {
            while !isAtEnd, decoding.count <= threads.count {
                let part = try await applying.run { _ in Result { try file.next() } }.get()
                guard let part else {
                    isAtEnd = true
                    break
                }
                decoding.append(
                    Task { [threads, layout] in
                        await threads.run { _ in Result { try Self.versions(of: part.part, part.hash, layout) } }
                    })
            }
            guard !decoding.isEmpty else { return count }
            let versions = try await decoding.removeFirst().value.get()
            await applying.run { [table, poison] _ in
                table.withLock { table in
                    for version in versions { Self.load(version, into: &table, poison) }
                }
            }
            count += versions.count
        }
    }

    private static func versions(
        of part: [UInt8], _ hash: [UInt8], _ layout: TopicLayout
    ) throws -> [PreparedVersion] {
        guard SHA256.hash(part) == hash else { throw SnapshotFailure("the hash of a part is another") }
        return try SnapshotBlock(decoding: part).versions.map { try PreparedVersion($0, layout) }
    }

    /// The entry is marked as when it is read from the topic: a process may die at what the index makes of it.
    private static func load(_ loaded: PreparedVersion, into table: inout SubscriptionTable, _ poison: PoisonWatch?) {
        poison.meet(loaded.packed.offset) { deaths in
            table.apply(loaded, isSuspect: deaths > 0)
        }
    }

    // MARK: Writing

    /// Takes a snapshot now and then: soon after the table was read from the topic, after many events, and before the last one
    /// is too old.
    func takeSnapshots(_ identity: TableIdentity, into snapshots: TableSnapshots) async {
        var last = ContinuousClock().now
        while !Task.isCancelled {
            try? await Task.sleep(for: Self.lookingPause)
            if Task.isCancelled { return }
            let applied = progress.withLock { $0.appliedSince }
            let versions = await versionCount()
            let isDue = applied > max(1000, versions / 10) || ContinuousClock().now - last > Self.snapshotAgeMax
            guard isDue else { continue }
            do {
                try await takeSnapshot(identity, into: snapshots)
                last = ContinuousClock().now
            } catch {
                Log.warning("snapshot.failed", ["scope": "\(layout.scope)", "error": "\(error)"])
            }
        }
    }

    /// The number of versions in the table.
    func versionCount() async -> Int { await threads.run { [table] _ in table.withSharedLock { $0.versionCount } } }

    /// Writes the table, some versions at a time, while matching and events go on. What comes meanwhile may be in it or not:
    /// it stands behind the offset, and is read again as a set.
    func takeSnapshot(_ identity: TableIdentity, into snapshots: TableSnapshots) async throws {
        let began = progress.withLock { progress in
            defer { progress.appliedSince = 0 }
            return progress
        }
        let file = try await threads.run { [table] _ in
            let versions = table.withSharedLock { $0.versionCount }
            return Result {
                try snapshots.begin(identity, offset: began.readTo, reached: began.reached, versions: versions)
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
