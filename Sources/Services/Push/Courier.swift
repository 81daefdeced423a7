package import CloudModel

/// The port of what brings notifications to devices: the web courier, which clients poll, and those that send by
/// themselves, as to APNs or by Web Push. A courier lives in a folder of its own here; `Couriers` lists it.
package protocol Courier: Sendable {
    /// The name under which devices are registered for it.
    var kind: CourierKind { get }

    /// Returns the address of a token that this courier gave or takes; nil for any other text.
    func address(of token: String) -> CourierAddress?

    /// Delivers a notification to its device, or wakes the requests that wait for it.
    ///
    /// Called with a user's notifications in their order, one after the other, each once during this process's life: a
    /// courier that has to send notifications from before its start needs a position of its own. Long work runs in the
    /// courier's own tasks: the users of the same partition wait. The courier reports and repeats failures.
    func deliver(_ push: Push) async

    /// Lets waiting requests look for notifications again.
    ///
    /// Called whenever the process starts to follow a partition of pushes: entries before the starting position are
    /// passed to no courier, though a request may wait for them already.
    func passedBy() async
}
