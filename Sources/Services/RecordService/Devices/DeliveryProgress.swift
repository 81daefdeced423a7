import CloudMessages
package import CloudModel
import EventLog
import Telemetry
import Timing
import Waiting

/// The progress of delivery, as `delivery-state` shows it: how far each user's device events are through, the
/// badges, and which lives of devices exist.
package final class DeliveryProgress: Sendable {
    private struct User {
        var applied: CommitSequence
        var badges: [DeviceLife: Int64]
        /// True while hits that were held for a backfill are being delivered.
        var isReleasing: Bool
    }

    private struct State {
        var users: [UserRecordName: User] = [:]
        var lives: Set<DeviceLife> = []
        var readTo: [TopicPartition: Int64] = [:]
        /// The next offset of each partition of `deliveries` whose entries are not all applied.
        var appliedTo: [Int32: Int64] = [:]
    }

    /// A device in one of its epochs.
    package struct DeviceLife: Hashable, Sendable {
        /// The device.
        package var device: DeviceID
        /// The epoch, which a registration begins.
        package var epoch: DeviceEpoch
    }

    /// Of all containers' environments.
    static let feeds = Gauge(
        "fanfare_record_service_feeds",
        "Feeds of registered devices. With feed-topics each is a topic of the log.")

    private enum Ring: Hashable {
        case user(UserRecordName)
        case partition(Int32)
    }

    private let state = BusyMutex(State())
    private let bell = Bell<Ring>()

    /// Takes over the state of a user.
    func update(_ user: UserRecordName, _ state: UserState) {
        let badges = Dictionary(
            state.devices.map {
                (DeviceLife(device: DeviceID(trusted: $0.device), epoch: DeviceEpoch($0.epoch)), $0.badge)
            }
        ) { $1 }
        self.state.withLock { all in
            let before = all.lives.count
            defer { Self.feeds.add(all.lives.count - before) }
            if let known = all.users[user] { all.lives.subtract(known.badges.keys) }
            all.lives.formUnion(badges.keys)
            all.users[user] = User(
                applied: CommitSequence(state.applied), badges: badges, isReleasing: state.release != nil)
        }
        bell.ring(.user(user))
    }

    /// Forgets a user whom delivery has forgotten.
    func forget(_ user: UserRecordName) {
        state.withLock { all in
            guard let known = all.users.removeValue(forKey: user) else { return }
            all.lives.subtract(known.badges.keys)
            Self.feeds.add(-known.badges.count)
        }
    }

    /// Notes how far a partition of `delivery-state` has been taken over.
    func noteRead(_ partition: TopicPartition, to offset: Int64) {
        state.withLock { $0.readTo[partition] = offset }
    }

    /// Notes the next offset of a partition of `deliveries`: lower than before if the topic was recreated.
    func noteApplied(_ partition: Int32, to offset: Int64) {
        state.withLock { $0.appliedTo[partition] = offset }
        bell.ring(.partition(partition))
    }

    /// The next offsets of partitions of `deliveries` whose entries are not all applied, where they are known.
    func applied(of partitions: [TopicPartition]) -> [TopicPartition: Int64] {
        state.withLock { state in
            Dictionary(
                uniqueKeysWithValues: partitions.compactMap { partition in
                    state.appliedTo[partition.partition].map { (partition, $0) }
                })
        }
    }

    /// Returns true if everything before these ends of `deliveries` is applied.
    func hasApplied(to bounds: [TopicPartition: OffsetBounds]) -> Bool {
        state.withLock { state in
            bounds.allSatisfy { state.appliedTo[$0.key.partition, default: 0] >= $0.value.end }
        }
    }

    /// Returns true if all partitions have been taken over up to these ends.
    func hasRead(to bounds: [TopicPartition: OffsetBounds]) -> Bool {
        state.withLock { state in bounds.allSatisfy { state.readTo[$0.key, default: 0] >= $0.value.end } }
    }

    /// Waits until a user's device event is applied.
    /// - Throws: `TRY_AGAIN_LATER` after `limit`.
    func waitUntilApplied(_ sequence: CommitSequence, of user: UserRecordName, atMost limit: Duration) async throws {
        try await wait(for: .user(user), atMost: limit) { self.applied(of: user) >= sequence }
    }

    /// Waits until the entries of a partition of `deliveries` before an offset are applied.
    /// - Throws: `TRY_AGAIN_LATER` after `limit`.
    func waitUntilApplied(_ partition: TopicPartition, to end: Int64, atMost limit: Duration) async throws {
        try await wait(for: .partition(partition.partition), atMost: limit) {
            self.state.withLock { $0.appliedTo[partition.partition, default: 0] } >= end
        }
    }

    /// Waits until no held hits of a user are being delivered: they come after the entry that released them is applied.
    /// - Throws: `TRY_AGAIN_LATER` after `limit`.
    func waitUntilReleased(_ user: UserRecordName, atMost limit: Duration) async throws {
        try await wait(for: .user(user), atMost: limit) {
            self.state.withLock { $0.users[user]?.isReleasing } != true
        }
    }

    private func wait(
        for ring: Ring, atMost limit: Duration, until isApplied: @escaping @Sendable () -> Bool
    ) async throws {
        if isApplied() { return }
        let applied: Void? = try await Time.race(within: limit) {
            try await self.bell.wait(for: ring, until: isApplied)
        }
        guard applied != nil else {
            throw CloudError(
                .tryAgainLater,
                "delivery is more than \(limit.components.seconds) s behind; send the same request again",
                retryAfterSeconds: 1)
        }
    }

    /// The badge of a device; 0 when nothing was delivered yet.
    func badge(of device: Device) -> Int64 {
        state.withLock { $0.users[device.user]?.badges[DeviceLife(device: device.id, epoch: device.epoch)] ?? 0 }
    }

    /// Returns true if delivery writes to a device's life.
    func knows(_ life: DeviceLife) -> Bool {
        state.withLock { $0.lives.contains(life) }
    }

    /// Returns true if a device's registration is applied and delivery does not know the device all the same: the event
    /// was set aside.
    func hasLost(_ device: Device) -> Bool {
        applied(of: device.user).rawValue >= device.epoch.rawValue
            && !knows(DeviceLife(device: device.id, epoch: device.epoch))
    }

    private func applied(of user: UserRecordName) -> CommitSequence {
        state.withLock { $0.users[user]?.applied ?? .zero }
    }
}
