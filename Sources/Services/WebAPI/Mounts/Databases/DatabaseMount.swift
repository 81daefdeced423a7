/// CloudKit Web Services: the endpoints of the databases of containers.
struct DatabaseMount: Mount {
    let calls: APICalls

    var routes: [Route] {
        Self.endpoints.map { calls.route($0, under: "/database/1/{container}/{environment}/{database}/") }
    }

    static let endpoints: [APIEndpoint] = records + zones + subscriptions + users + assets

    private static let records: [APIEndpoint] = [
        APIEndpoint("records/modify", .act, cost: .each("operations")) { try await $0.modifyRecords() },
        APIEndpoint("records/lookup", .read, cost: .each("records")) { try await $0.lookUpRecords() },
        APIEndpoint("records/query", .read, cost: .query) { try await $0.queryRecords() },
        APIEndpoint("records/changes", .act, cost: .page) { try await $0.recordChanges() },
        // What these lead to is shared from private databases, though their path is the public one's.
        APIEndpoint("records/resolve", .actAsPerson, cost: .each("shortGUIDs")) { try await $0.resolveShares() },
        APIEndpoint("records/accept", .actAsPerson, cost: .each("shortGUIDs")) { try await $0.acceptShares() },
    ]

    // Lists answer POST, too: some clients post to all endpoints.
    private static let zones: [APIEndpoint] = [
        APIEndpoint("changes/database", .act, cost: .page) { try await $0.databaseChanges() },
        APIEndpoint("changes/zone", .act, cost: .pages(of: "zones")) { try await $0.zoneChanges() },
        APIEndpoint("zones/list", .read, methods: ["GET", "POST"], cost: .page) { try await $0.listZones() },
        APIEndpoint("zones/lookup", .read) { try await $0.lookUpZones() },
        APIEndpoint("zones/modify", .act, cost: .each("operations")) { try await $0.modifyZones() },
        APIEndpoint("zones/changes", .act, cost: .page) { try await $0.metaChanges() },
    ]

    private static let subscriptions: [APIEndpoint] = [
        APIEndpoint("subscriptions/modify", .act, cost: .operationsWithTests) { try await $0.modifySubscriptions() },
        APIEndpoint("subscriptions/list", .act, methods: ["GET", "POST"], cost: .page) {
            try await $0.listSubscriptions()
        },
        APIEndpoint("subscriptions/lookup", .act, cost: .each("subscriptions")) { try await $0.lookUpSubscriptions() },
    ]

    private static let users: [APIEndpoint] = [
        // Apple's own examples ask with a server-to-server key who that is.
        APIEndpoint("users/caller", .knowOneself, methods: ["GET", "POST"]) { try await $0.currentUser() },
        APIEndpoint("users/current", .knowOneself, methods: ["GET", "POST"]) { try await $0.currentUser() },
        // Known in two forms.
        APIEndpoint("users/discover", .knowUsers, methods: ["GET", "POST"]) { try await $0.discoverUsers() },
        APIEndpoint("users/discoverable", .knowUsers) { try await $0.setDiscoverable() },
        APIEndpoint("users/lookup/email", .knowUsers) { try await $0.lookUpUsers(byEmail: true) },
        APIEndpoint("users/lookup/contacts", .knowUsers) { try await $0.lookUpContacts() },
        APIEndpoint("users/lookup/id", .knowUsers) { try await $0.lookUpUsers(byEmail: false) },
    ]

    private static let assets: [APIEndpoint] = [
        APIEndpoint("assets/upload", .act, cost: .each("tokens")) { try await $0.makeAssetUploads() },
        APIEndpoint("assets/rereference", .act, cost: .each("assets")) { try await $0.rereferenceAssets() },
    ]
}
