import CloudModel

/// Where a request goes: parsed from its path, with nothing looked up yet.
struct Route: Hashable {
    /// What a request can be for.
    enum Endpoint: String, CaseIterable {
        case recordsModify = "records/modify"
        case recordsLookup = "records/lookup"
        case recordsQuery = "records/query"
        case recordsChanges = "records/changes"
        case recordsResolve = "records/resolve"
        case recordsAccept = "records/accept"
        case changesDatabase = "changes/database"
        case changesZone = "changes/zone"
        case zonesList = "zones/list"
        case zonesLookup = "zones/lookup"
        case zonesModify = "zones/modify"
        case zonesChanges = "zones/changes"
        case subscriptionsModify = "subscriptions/modify"
        case subscriptionsList = "subscriptions/list"
        case subscriptionsLookup = "subscriptions/lookup"
        case usersCaller = "users/caller"
        case usersCurrent = "users/current"
        case usersDiscover = "users/discover"
        case usersDiscoverable = "users/discoverable"
        case usersLookupEmail = "users/lookup/email"
        case usersLookupContacts = "users/lookup/contacts"
        case usersLookupID = "users/lookup/id"
        case assetsUpload = "assets/upload"
        case assetsRereference = "assets/rereference"
        case devicesRegister = "devices/register"
        case devicesList = "devices/list"
        case devicesUnregister = "devices/unregister"
        case notificationsChanges = "notifications/changes"
        case notificationsStream = "notifications/stream"
        case notificationsMarkRead = "notifications/markRead"
        case tokensCreate = "tokens/create"
        case tokensRegister = "tokens/register"
        case badgeModify = "badge/modify"
        case badgeCurrent = "badge/current"
        case signIn = "signin"
        case signOut = "signout"

        /// The method that the endpoint answers to.
        var method: String {
            switch self {
            case .usersCaller, .usersCurrent: "GET"
            case .zonesList, .subscriptionsList, .devicesList, .notificationsStream, .badgeCurrent: "GET"
            default: "POST"
            }
        }

        /// All methods that it answers to: looking up users is known in two forms.
        var methods: [String] { self == .usersDiscover ? ["GET", "POST"] : [method] }

        /// The first segment of the endpoint's paths.
        var family: String {
            switch self {
            case .recordsModify, .recordsLookup, .recordsQuery, .recordsChanges, .recordsResolve, .recordsAccept,
                .changesDatabase, .changesZone,
                .zonesList, .zonesLookup, .zonesModify, .zonesChanges, .subscriptionsModify, .subscriptionsList,
                .subscriptionsLookup:
                "database"
            case .usersCaller, .usersCurrent, .usersDiscover, .usersDiscoverable, .usersLookupEmail, .usersLookupID,
                .usersLookupContacts,
                .assetsUpload,
                .assetsRereference:
                "database"
            case .signIn, .signOut: "auth"
            default: "device"
            }
        }
    }

    var container: String
    var environment: String
    /// Of endpoints of a database.
    var database: DatabaseScope?
    var endpoint: Endpoint

    /// Reads `/<family>/1/<container>/<environment>[/<database>]/<endpoint>`; nil when there is no such endpoint.
    init?(segments: [String]) {
        guard segments.count >= 5, segments[1] == "1" else { return nil }
        container = segments[2]
        environment = segments[3]
        var rest = segments[4...]
        if segments[0] == "database" {
            guard let scope = DatabaseScope(rest.removeFirst()) else { return nil }
            database = scope
        }
        // A slash that was escaped is part of a segment, and no endpoint has one.
        guard !rest.contains(where: { $0.contains("/") }),
            let endpoint = Endpoint(rawValue: rest.joined(separator: "/")), endpoint.family == segments[0]
        else { return nil }
        self.endpoint = endpoint
    }
}
