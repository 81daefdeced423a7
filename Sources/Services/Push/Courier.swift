package import CloudModel

/// The port of what brings notifications to devices: the web courier, which clients poll, and those that send by
/// themselves, as to APNs or by Web Push. A courier lives in a folder of its own here; `Couriers` lists it.
package protocol Courier: Sendable {
    /// The name under which devices are registered for it.
    var kind: CourierKind { get }

    /// Returns the address of a token that this courier gave or takes; nil for any other text.
    func address(of token: String) -> CourierAddress?

    /// Brings a notification to its device, or lets whoever waits for it know.
    ///
    /// Called with a user's notifications in their order, one after the other, each once while this process lives: a
    /// courier that has to send what came while no process ran needs a place of its own. What takes long it does by
    /// itself: the users of the same partition wait. A failure is the courier's to report and to repeat.
    func deliver(_ push: Push) async

    /// Lets whoever waits for a notification look for it once more.
    ///
    /// Called whenever the process begins to follow a partition of pushes: what was written before the place at which
    /// it begins is handed to nobody, though somebody may wait for it already.
    func passedBy() async
}
