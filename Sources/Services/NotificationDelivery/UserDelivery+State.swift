import CloudMessages
import CloudModel
import EventLog
import ProtocolBuffers

extension UserDelivery {
    /// Reads the stored state.
    init(user: UserRecordName, layout: TopicLayout, decoding bytes: [UInt8]) throws {
        let state = try UserState(decoding: bytes)
        self.init(user: user, layout: layout)
        journal = state.journal?.position
        devices = state.devices.map {
            Device(
                id: DeviceID(trusted: $0.device), epoch: DeviceEpoch($0.epoch), badge: $0.badge,
                couriers: ($0.courier.isEmpty ? [] : [Courier(kind: CourierKind($0.courier))])
                    + $0.couriers.map { Courier(kind: CourierKind($0.courier), since: CommitSequence($0.since)) },
                policies: $0.policies?.policies)
        }
        read = SequenceSet(distances: state.read)
        spent = state.spent
        checkpoints = state.checkpoints
        applied = state.applied
        backfills = state.backfills
        release = state.release ?? state.backfills.lazy.compactMap(\.release).first
        for index in backfills.indices { backfills[index].modernize() }
        rate = NotificationRate(used: state.rateBytes, at: state.rateTime)
        removed = state.removed
        holds = state.holds
        scheduled = state.scheduled
    }

    /// Encodes the state for storage, under `Limits.userStateBytesMax`: growing parts are bounded where they grow.
    func encoded() -> [UInt8] { message.encoded() }

    private var message: UserState {
        UserState(
            journal: journal.map { SourcePositionMessage($0) },
            devices: devices.map {
                DeviceState(
                    device: $0.id.rawValue, epoch: $0.epoch.rawValue, badge: $0.badge,
                    courier: $0.couriers.first { $0.since == nil }?.kind.rawValue ?? "",
                    couriers: $0.couriers.compactMap { courier in
                        courier.since.map { CourierState(courier: courier.kind.rawValue, since: $0.rawValue) }
                    }, policies: $0.policies.map { DevicePoliciesMessage($0) })
            },
            read: read.distances, spent: spent, checkpoints: checkpoints, applied: applied,
            backfills: backfills.map { $0.stored(release) }, release: release, rateBytes: rate.used,
            rateTime: rate.time, removed: removed, holds: holds, scheduled: scheduled)
    }
}
