import CloudMessages
import CloudModel
import EventLog

/// The entries that a step of delivery writes before it commits.
struct DeliveryOutputs {
    var journals: [OutgoingEntry] = []
    var commands: [OutgoingEntry] = []
    /// Entries of `pushes`, written after the journals' are acknowledged: a device that is pushed to finds the
    /// notification in its feed.
    var pushes: [OutgoingEntry] = []
    /// True when a device was registered, which waits for the commit.
    var hasRegistration = false
    /// Notifications that were made.
    var notificationCount = 0

    /// True when there is nothing to write.
    var isEmpty: Bool { journals.isEmpty && commands.isEmpty && pushes.isEmpty }

    /// Bytes of the entries, with `Limits.rowBytes` beside each.
    var heldBytes: Int {
        [journals, commands, pushes].joined().reduce(0) { $0 + $1.byteCount + Limits.rowBytes }
    }

    /// Adds the outputs of another entry of the same step.
    mutating func add(_ other: DeliveryOutputs) {
        journals += other.journals
        commands += other.commands
        pushes += other.pushes
        hasRegistration = hasRegistration || other.hasRegistration
        notificationCount += other.notificationCount
    }
}
