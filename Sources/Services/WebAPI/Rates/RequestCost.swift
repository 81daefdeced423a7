import JSON

/// What a request costs beside its bytes: about the number of records that are read or written for it.
enum RequestCost {
    /// What a query costs: it looks at many records to find some.
    static let query = 20
    /// What a feed's page costs.
    static let page = 10
    /// What a test of a subscription costs: it looks at many changes.
    static let test = 200
    /// Making or removing a device or web courier, which may make and remove a topic.
    static let device = 50

    /// By the endpoint, and by what the body lists.
    static func of(_ endpoint: Route.Endpoint, _ body: JSONValue?) -> Int {
        switch endpoint {
        case .recordsModify, .zonesModify: 1 + count(body, "operations")
        case .recordsLookup, .recordsResolve, .recordsAccept: 1 + max(count(body, "records"), count(body, "shortGUIDs"))
        case .subscriptionsModify: 1 + count(body, "operations") + test * tests(body)
        case .subscriptionsLookup: 1 + count(body, "subscriptions")
        case .recordsQuery: query
        case .recordsChanges, .changesDatabase, .zonesChanges, .subscriptionsList, .zonesList: page
        case .changesZone: page * max(1, count(body, "zones"))
        case .assetsUpload: 1 + count(body, "tokens")
        case .assetsRereference: 1 + count(body, "assets")
        case .notificationsMarkRead: 1 + count(body, "notificationIDs")
        case .devicesRegister, .devicesUnregister, .tokensCreate: device
        default: 1
        }
    }

    private static func count(_ body: JSONValue?, _ key: String) -> Int { body?[key]?.array?.count ?? 0 }

    private static func tests(_ body: JSONValue?) -> Int {
        body?["operations"]?.array?.count { $0["operationType"]?.string == "test" } ?? 0
    }
}
