import CloudModel

/// The settings of a push sender.
package struct PushSenderSettings: Sendable {
    /// The time that a visible push is worth something, from the commit of its change.
    package var visibleExpiry = Duration.seconds(28 * 86_400)
    /// The time that a silent one is.
    package var silentExpiry = Duration.seconds(3600)
    /// The time that a webhook's is.
    package var webhookExpiry = Duration.seconds(3 * 86_400)
    /// The longest time from an outcome to the beginning of its commit.
    package var commitPause = Duration.milliseconds(200)
    /// Outcomes after which a commit begins at once.
    package var commitCount = 500
    /// Bytes of waiting notifications that are held of a partition; more of them are read again from `push-state`.
    package var contentBytesMax = 8 << 20

    /// Containers and environments whose senders share the connections of this process.
    package var scopeCount = 1

    /// Random numbers of 0 to 1, for the lengths of pauses.
    var jitter: @Sendable () -> Double = { .random(in: 0...1) }

    /// Makes the clock of a sender that starts.
    var clock: @Sendable () -> SenderClock = { SenderClock() }

    package init() {}

    /// The time that pushes of a kind are worth something.
    func lifetime(of kind: CourierKind, isVisible: Bool) -> Duration {
        kind == .webhook ? webhookExpiry : isVisible ? visibleExpiry : silentExpiry
    }
}
