import CloudModel

extension SenderState {
    /// The beginning of a sending.
    enum Start: Equatable {
        /// Send it; as a silent push, where the device wants that of merged ones.
        case send(WaitingPush, asSilent: Bool)
        /// The table of addresses has to reach this sequence first.
        case lookUp(CommitSequence)
        /// Its content is only in `push-state`.
        case load
        /// It was dropped: its time is over.
        case expired
        /// It was dropped: the device takes no push that shows nothing.
        case unwanted
        /// It waits until it is due.
        case later
        /// The destination has no waiting push.
        case nothing
    }

    /// The end of a sending.
    enum End: Equatable {
        /// It is done with: the provider has it, or the address is dead.
        case settled
        /// It is done with, and the device does not get it.
        case dropped
        /// It is sent again from a time on.
        case again(at: Timestamp, tries: Int)
        /// It is sent again without contents.
        case withoutContents
    }

    /// The properties of an address that a sending depends on.
    struct Terms {
        /// The sequence that the table of addresses had reached.
        var reached = CommitSequence.zero
        /// True if silent pushes have a rate.
        var isThrottled = false
        /// True if a silent push is sent in place of several.
        var isSilentWhenBehind = false
        /// False for a browser whose pushes all have to show something.
        var takesSilent = true
        /// The time that a push is worth something, by whether it is visible.
        var lifetime: @Sendable (_ isVisible: Bool) -> Duration

        /// The time that a push is worth something.
        /// - Parameter isVisible: nil for that of the push.
        func lifetime(of push: WaitingPush, isVisible: Bool? = nil) -> Duration {
            push.isReadMark ? min(WaitingPush.readMarkLifetime, lifetime(false)) : lifetime(isVisible ?? push.isShown)
        }
    }
}
