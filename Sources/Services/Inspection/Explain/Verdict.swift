package import CloudModel

/// The result of an explanation. Decisions use the case; `description` is made from it and decides nothing.
package enum Verdict: Hashable, Sendable, CustomStringConvertible {
    /// The reason why no version of a subscription was in effect.
    package enum Absence: Hashable, Sendable, CustomStringConvertible {
        case deleted(CommitSequence)
        case savedLater(CommitSequence)
        case unknown

        package var description: String {
            switch self {
            case .deleted(let sequence): "it was deleted at \(sequence), before the change"
            case .savedLater(let sequence): "it was first saved at \(sequence), after the change"
            case .unknown: "there is no such subscription, or no version of it that old is kept"
            }
        }
    }

    /// The topics have no such change.
    case noChange
    /// Stage 1 put the change, or the version of the subscription, on the list of poison entries.
    case changeSetAside, subscriptionSetAside
    /// No version of the subscription was in effect at the change.
    case noSubscription(Absence)
    /// The subscription's owner was removed, with all notifications.
    case userRemoved
    /// The subscription's owner may not read the record.
    case unreadable
    /// The subscription watches something else; the text says what.
    case doesNotFire(watched: String)
    /// A stage has not reached the change yet.
    case waitsForMatching, waitsForDelivery
    /// The subscription's backfill is delivered first.
    case waitsForBackfill
    /// A delivery policy holds it before the feed until this time, by the log.
    case waitsForPolicy(Timestamp)
    /// Too many subscriptions of the user fired; this one is in the count of the others.
    case counted
    /// The subscription fires once, and fired on another change before.
    case firedBefore(CommitSequence)
    /// Retention removed the part of the journal that would say it.
    case expired
    /// A change before the subscription: its backfill has not delivered it, or the subscription's end came first.
    case backfillOpen
    /// The journal, or the feeds of these devices, should have it and have not: a fault of the service.
    case lostFromJournal, lostFromFeeds([DeviceID])
    /// It is in the journal and reached these devices.
    case notified([DeviceID])

    /// True for a fault of the service.
    package var isLost: Bool {
        switch self {
        case .lostFromJournal, .lostFromFeeds: true
        default: false
        }
    }

    /// The name of the case, for programs.
    package var code: String {
        switch self {
        case .noChange: "noChange"
        case .changeSetAside: "changeSetAside"
        case .subscriptionSetAside: "subscriptionSetAside"
        case .noSubscription: "noSubscription"
        case .userRemoved: "userRemoved"
        case .unreadable: "unreadable"
        case .doesNotFire: "doesNotFire"
        case .waitsForMatching: "waitsForMatching"
        case .waitsForDelivery: "waitsForDelivery"
        case .waitsForBackfill: "waitsForBackfill"
        case .waitsForPolicy: "waitsForPolicy"
        case .counted: "counted"
        case .firedBefore: "firedBefore"
        case .expired: "expired"
        case .backfillOpen: "backfillOpen"
        case .lostFromJournal: "lostFromJournal"
        case .lostFromFeeds: "lostFromFeeds"
        case .notified: "notified"
        }
    }

    package var description: String {
        switch self {
        case .noChange:
            "there is no such change: it was in another database, is not kept any more, or was never committed"
        case .changeSetAside: "not notified: the change was set aside"
        case .subscriptionSetAside: "not notified: the subscription was set aside"
        case .noSubscription(let absence): "not notified: \(absence)"
        case .userRemoved: "not notified any more: the subscription's owner was removed, with all notifications"
        case .unreadable: "not notified: the subscription's owner may not read the record"
        case .doesNotFire(let watched):
            "not notified: the subscription does not fire on this change (it watches \(watched))"
        case .waitsForMatching: "not yet: stage 1 has not come to the change"
        case .waitsForDelivery: "not yet: stage 2 has not come to the hit"
        case .waitsForBackfill: "not yet: the subscription's backfill is delivered first"
        case .waitsForPolicy(let due): "not yet: its delivery policy holds it until \(due.iso8601)"
        case .counted:
            "not notified by itself: too many subscriptions of the user fired on this change, and the rest is counted"
        case .firedBefore(let change): "not notified: the subscription fires once, and fired on change \(change)"
        case .expired: "unknown: retention removed the journal of that time"
        case .backfillOpen:
            "not notified, or not yet: the backfill is still under way, or the subscription ended before it did"
        case .lostFromJournal: "LOST: it should be in the journal, and is not"
        case .lostFromFeeds(let devices): "LOST: not in the feed of \(Self.list(devices))"
        case .notified(let devices):
            devices.isEmpty ? "notified: in the journal" : "notified: in the journal, and \(Self.list(devices))"
        }
    }

    private static func list(_ devices: [DeviceID]) -> String { devices.map(\.rawValue).joined(separator: ", ") }
}
