import CloudModel
public import Foundation

/// A standing question to the service: notify this user's devices of changes.
public struct FanfareSubscription: Hashable, Sendable {
    /// The changes that a subscription watches.
    public enum Watched: Hashable, Sendable {
        /// Changes of records that satisfy a query; its order means nothing.
        case records(FanfareQuery, on: Set<Event>)
        /// Any change in a custom zone of the user's private database.
        case zone(String)
        /// Any change in any custom zone.
        case database
    }

    /// A kind of change.
    public enum Event: String, Hashable, Sendable, CaseIterable {
        case create, update, delete
        /// A record begins to satisfy the query.
        case enter
        /// A record satisfies the query no longer.
        case leave
    }

    /// The place in the past that a new subscription begins from.
    public enum StartingFrom: Hashable, Sendable {
        /// It tells of changes after its creation only.
        case now
        /// It first tells of changes that were committed at this time or later, as far as they are kept.
        case time(Date)
        /// It first tells of changes from the last one on that the device had been told of at this change token.
        case changeToken(String)
    }

    /// The subscription's ID, unique among the user's in a database.
    public var id: String
    /// The changes that it watches, which no update can change.
    public var watched: Watched
    /// The alert's text; nil shows none.
    public var alertBody: String?
    /// True to add one to the badge with each notification.
    public var shouldBadge = false
    /// The names of fields whose values notifications carry.
    public var additionalFields: [String] = []
    /// The place in the past that it begins from when it is created; later it changes nothing.
    public var startingFrom = StartingFrom.now

    /// A subscription with a silent notification.
    public init(id: String, _ watched: Watched) {
        self.id = id
        self.watched = watched
    }

    var draft: SubscriptionDraft {
        var draft = watchedDraft
        draft.startingFrom =
            switch startingFrom {
            case .now: .now
            case .time(let date): .time(Timestamp(date))
            case .changeToken(let token): .changeToken(token)
            }
        return draft
    }

    private var watchedDraft: SubscriptionDraft {
        let id = SubscriptionID(trusted: id)
        let info = NotificationInfo(
            alertBody: alertBody, additionalFields: additionalFields.map { FieldName(trusted: $0) },
            shouldBadge: shouldBadge)
        switch watched {
        case .records(let query, let events):
            let names = Set(events.map(\.rawValue))
            let firesOn = FiringEvents.names.filter { names.contains($0.name) }.map(\.event)
            return SubscriptionDraft(
                id: id, query: query.given, zone: nil, firesOn: FiringEvents(firesOn), firesOnce: false,
                notificationInfo: info)
        case .zone(let name):
            return .zone(id: id, zone: GivenZone(name: ZoneName(trusted: name)), notificationInfo: info)
        case .database: return .database(id: id, notificationInfo: info)
        }
    }
}
