/// The partitions that a group assigned to its member, and the releases that the member still owes. Pure.
struct GroupMembership {
    enum Standing: Equatable {
        /// Given by the group, not begun.
        case granted
        /// Being read.
        case started
        /// Wanted back by the group; `isStarted` if librdkafka reads it, or did until now.
        case revoked(isStarted: Bool)
    }

    private(set) var standings: [KafkaTopicPartition: Standing] = [:]
    /// The revocation that waits for its partitions to be released: the group waits for all of them at once.
    private var revocation: Revocation?

    private struct Revocation {
        let partitions: [KafkaTopicPartition]
        var unreleased: Set<KafkaTopicPartition>
        var isRefused = false
    }

    /// Indicates whether the group waits for this member to release something.
    var isReleaseAwaited: Bool { revocation != nil }

    /// Indicates whether a commit before the awaited release was refused for good.
    var isCommitRefused: Bool { revocation?.isRefused == true }

    /// Takes partitions that the group gives.
    mutating func assign(_ partitions: [KafkaTopicPartition]) {
        for partition in partitions { standings[partition] = .granted }
    }

    /// Begins those of the partitions that are given and not begun, and returns them.
    mutating func start(_ partitions: some Sequence<KafkaTopicPartition>) -> [KafkaTopicPartition] {
        let startable = partitions.filter { standings[$0] == .granted }
        for partition in startable { standings[partition] = .started }
        return startable
    }

    /// The given partitions that were started already: an owner that got them again after a loss may not have known of
    /// the loss when it started them.
    func begun(among partitions: some Sequence<KafkaTopicPartition>) -> [KafkaTopicPartition] {
        partitions.filter { standings[$0] == .started }
    }

    /// The group wants partitions back. Returns what to answer at once: nil to wait for their release.
    mutating func revoke(_ partitions: [KafkaTopicPartition]) -> [KafkaTopicPartition]? {
        let owned = partitions.filter { standings[$0] != nil }
        guard !owned.isEmpty else { return [] }
        for partition in owned { standings[partition] = .revoked(isStarted: standings[partition] == .started) }
        revocation = Revocation(partitions: owned, unreleased: Set(owned))
        return nil
    }

    /// The group refused the generation of a commit. This member cannot join again before the release, so until then
    /// no commit is accepted either.
    mutating func refuseCommit() { revocation?.isRefused = true }

    /// Returns revoked partitions to the group; those that were not revoked are left out. Returns the partitions, and,
    /// once all of a revocation are released, the ones for librdkafka to stop reading.
    mutating func release(
        _ partitions: [KafkaTopicPartition]
    ) -> (released: [KafkaTopicPartition], answer: [KafkaTopicPartition]?) {
        let released = partitions.filter { revocation?.unreleased.remove($0) != nil }
        guard let revocation, revocation.unreleased.isEmpty else { return (released, nil) }
        self.revocation = nil
        return (released, remove(revocation.partitions))
    }

    /// The group took partitions away, also those that wait for a release. Returns the ones for librdkafka to stop
    /// reading.
    mutating func lose(_ partitions: [KafkaTopicPartition]) -> [KafkaTopicPartition] {
        let all = Set(partitions).union(revocation?.partitions ?? [])
        revocation = nil
        return remove(all.filter { standings[$0] != nil })
    }

    /// Returns true if this member owns `partition`, and so may commit for it.
    func owns(_ partition: KafkaTopicPartition) -> Bool {
        guard standings[partition] != nil else { return false }
        guard let revocation, revocation.partitions.contains(partition) else { return true }
        return revocation.unreleased.contains(partition)
    }

    /// librdkafka refuses to stop what it never started.
    private mutating func remove(_ partitions: some Sequence<KafkaTopicPartition>) -> [KafkaTopicPartition] {
        partitions.filter { partition in
            switch standings.removeValue(forKey: partition) {
            case .started, .revoked(isStarted: true): true
            case .granted, .revoked(isStarted: false), nil: false
            }
        }
    }
}
