import EventLog
import Synchronization
import TestSupport

/// A mistake that a simulation has to find.
///
/// The simulated log makes most of them itself, and shows the code their effects. The others are `Mistake`s, which the
/// code makes on demand, in debug builds alone.
enum Mutation: String, CaseIterable, Sendable {
    /// A commit of state is reported as done and is not.
    case skipACommit = "skip-a-commit"
    /// Appends are acknowledged before they are stored.
    case commitBeforeWriting = "commit-before-writing"
    /// A takeover reads the state to the reported end.
    case stateToReportedEnd = "state-to-reported-end"
    /// What delivery has seen of its sources is not committed with the users' state.
    case forgetPositions = "forget-positions"
    /// Positions whose commit was refused during a rebalance are dropped, also those of partitions that stay.
    case dropKeptPositions = "drop-kept-positions"
    /// A stage's recreated topic keeps the incarnation that the process knew.
    case keepTheIncarnation = "keep-the-incarnation"
    /// Versions of subscriptions are removed by the retention that the settings say, whatever changes there are still.
    case tombstoneBySettings = "tombstone-by-settings"
    /// A change waits for the reported end of `subscriptions`, not for the event that it names.
    case waitForReportedEnd = "wait-for-reported-end"
    /// Readers take what does not advance for news.
    case repeatsAreNews = "repeats-are-news"
    /// The sweep of devices' topics asks delivery alone, once, which devices there are.
    case sweepWithoutTheStore = "sweep-without-the-store"
    /// A page forgets the notification that it read to know whether there is more.
    case lookaheadIsForgotten = "lookahead-forgotten"

    /// A reader goes on at its offset, whatever entries are before it.
    case historyIsNotCompared = "history-not-compared"

    /// A change names the last subscription event that its transaction may have seen: none that is published with it.
    case lastSubscriptionOfTheTransaction = "last-subscription-of-the-transaction"
    /// A version of a subscription goes once no change is visible that has met it, in a store where one may come.
    case versionsGoAtOnce = "versions-go-at-once"
    /// What a store's writes have taken is settled, though lower ones are open.
    case settledAboveOpenWrites = "settled-above-open-writes"

    /// Senders commit their position without the pushes that wait.
    case positionWithoutRows = "position-without-rows"
    /// A push that is sent again has another ID.
    case pushIDIsRandom = "push-id-is-random"
    /// Of two pushes the older one is sent.
    case olderPushIsSent = "older-push-is-sent"

    /// A held notification that takes the place of another one forgets the changes of that.
    case heldChangesAreForgotten = "held-changes-are-forgotten"

    private static let active = Mutex<Mutation?>(nil)

    static func activate(_ mutation: Mutation?) {
        active.withLock { $0 = mutation }
        SimulatedStore.settlesWhatIsOpen.store(mutation == .settledAboveOpenWrites, ordering: .relaxed)
        let mistake = mutation.flatMap { Mistake(rawValue: $0.rawValue) }
        #if DEBUG
            Mistake.make(mistake)
        #else
            precondition(mistake == nil, "a release build cannot make mistakes")
        #endif
    }

    var isOn: Bool { Self.active.withLock { $0 } == self }
}
