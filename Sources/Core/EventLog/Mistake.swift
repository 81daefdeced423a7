import Synchronization

/// Mistakes that the simulation has the code make, to see that it finds them. Release builds cannot make any.
package enum Mistake: String, CaseIterable, Sendable {
    /// Readers take what does not advance for news.
    case repeatsAreNews = "repeats-are-news"
    /// The sweep of feeds asks delivery alone, once, which devices there are.
    case sweepWithoutTheStore = "sweep-without-the-store"
    /// A page forgets the notification that it read to know whether there is more.
    case lookaheadIsForgotten = "lookahead-forgotten"
    /// Versions of subscriptions are removed by the retention that the settings say, whatever changes there are still.
    case tombstoneBySettings = "tombstone-by-settings"
    /// A change waits for the reported end of `subscriptions`, not for the event that it names.
    case waitForReportedEnd = "wait-for-reported-end"

    /// A reader goes on at its offset, whatever entries are before it.
    case historyIsNotCompared = "history-not-compared"

    /// A change names the last subscription event that its transaction may have seen: none that is published with it.
    case lastSubscriptionOfTheTransaction = "last-subscription-of-the-transaction"
    /// A version of a subscription goes once no change is visible that has met it, in a store where one may come.
    case versionsGoAtOnce = "versions-go-at-once"

    /// A push that is sent again has another ID.
    case pushIDIsRandom = "push-id-is-random"
    /// Of two pushes the older one is sent.
    case olderPushIsSent = "older-push-is-sent"

    /// A held notification that takes the place of another one forgets the changes of that.
    case heldChangesAreForgotten = "held-changes-are-forgotten"

    #if DEBUG
        private static let made = Atomic<Int>(-1)

        /// Has the whole process make one; nil for none.
        package static func make(_ mistake: Mistake?) {
            made.store(mistake.flatMap { allCases.firstIndex(of: $0) } ?? -1, ordering: .relaxed)
        }

        /// True if the code has to make it.
        package var isMade: Bool {
            let index = Self.made.load(ordering: .relaxed)
            return index >= 0 && Self.allCases[index] == self
        }
    #else
        /// Never, in a release build.
        @inlinable package var isMade: Bool { false }
    #endif
}
