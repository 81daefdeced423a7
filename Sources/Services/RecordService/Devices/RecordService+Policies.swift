import CloudMessages
package import CloudModel
import ProtocolBuffers
import RecordStore
import Stages
import Telemetry
import Timing
import Waiting

/// Delivery policies: those that users chose for devices, and the events that held notifications wait for.
extension RecordService {
    /// Sets the policies of one of the caller's devices, in place of those that were chosen before.
    package func setPolicies(_ policies: DevicePolicies, on id: DeviceID, for caller: Caller) async throws {
        let message = DevicePoliciesMessage(policies)
        let bytes = message.encoded()
        guard bytes.count <= Limits.devicePoliciesBytesMax else {
            throw CloudError.exceeded(
                ExceededLimit("devicePoliciesBytesMax", Limits.devicePoliciesBytesMax),
                "the policies of a device have at most \(Limits.devicePoliciesBytesMax) bytes; these have \(bytes.count)"
            )
        }
        try await commit(in: caller.part) { commit in
            let device = try commit.seenDevice(id, of: caller)
            try commit.transaction.setPolicies(bytes.isEmpty ? nil : bytes, of: id)
            try commit.publishPolicies(message, of: device)
        }
    }

    /// The policies that the user chose for one of the caller's devices.
    package func policies(of id: DeviceID, for caller: Caller) async throws -> DevicePolicies {
        try await store.read { reader in
            _ = try Self.storedDevice(id, of: caller, reader)
            return try reader.policies(of: id).map { try DevicePoliciesMessage(decoding: $0).policies }
                ?? DevicePolicies()
        }
    }

    /// Publishes the events of deliveries when they are due, until the task is cancelled.
    func followDueDeliveries() async {
        await persistently(failed: { error, pause in
            Log.warning("deliveries.due.failed", ["error": "\(error)", "pause": "\(pause)"])
        }) {
            while true {
                let ticket = dueBell.register(0)
                defer { dueBell.drop(ticket, for: 0) }
                if let pause = try await publishDueDeliveries() {
                    _ = try await Time.race(within: pause) { [dueBell] in await dueBell.wait(ticket, for: 0) }
                } else {
                    await dueBell.wait(ticket, for: 0)
                }
                try Task.checkCancellation()
            }
        }
    }

    /// Publishes the events of deliveries that are due.
    /// - Returns: the time until the next one; nil if there is none.
    func publishDueDeliveries() async throws -> Duration? {
        while true {
            let time = now()
            let first = try await store.read { try $0.dueDeliveries(limit: Limits.operationsMax) }
            let ready = first.filter { $0.isDue(at: time) }
            guard !ready.isEmpty else {
                return first.first.map { .milliseconds($0.due.milliseconds - time.milliseconds) }
            }
            try await commit(in: .whole) { commit in
                for delivery in ready { try commit.publish(delivery) }
            }
        }
    }
}

extension DueDelivery {
    /// One that is further away than any delivery can be was noted before the clock was set back.
    fileprivate func isDue(at time: Timestamp) -> Bool {
        let (left, isOver) = due.milliseconds.subtractingReportingOverflow(time.milliseconds)
        return isOver || left <= 0 || left > DeliveryPolicy.delayMax
    }
}

extension Commit {
    /// Publishes the policies that the user chose for a device.
    func publishPolicies(_ policies: DevicePoliciesMessage, of device: Device) throws {
        let event = PoliciesChanged(device: device.id.rawValue, epoch: device.epoch.rawValue, policies: policies)
        try publish(.policiesChanged(event), of: device.user, at: try transaction.nextSequence())
    }

    /// Publishes them again for a device that was registered again.
    func republishPolicies(of device: Device) throws {
        guard let stored = try transaction.policies(of: device.id) else { return }
        try publishPolicies(try DevicePoliciesMessage(decoding: stored), of: device)
    }
}
