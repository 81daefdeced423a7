package import CloudModel

/// The extent of an audit.
package struct AuditPlan: Sendable {
    /// Only changes that were committed at this time or later; nil is all that are kept.
    package var from: Timestamp?
    /// Only changes that were committed at this time or earlier; nil is all.
    package var to: Timestamp?
    /// Only these devices, and their users' journals; empty is all.
    package var devices: Set<DeviceID> = []
    /// The expected notifications in memory at once; more users take more passes over the changes.
    package var expectedMax = 1_000_000
    /// Bytes of the subscriptions' entries in memory at once; more take more passes over the changes.
    package var subscriptionBytesMax = 256 << 20

    package init() {}

    func isInRange(_ time: Timestamp) -> Bool { from.map { $0 <= time } ?? true && to.map { time <= $0 } ?? true }
}
