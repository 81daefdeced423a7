import CloudModel

/// CloudKit Web Services: the endpoints of the databases of containers.
struct DatabaseMount: Mount {
    let calls: APICalls

    var routes: [Route] {
        Self.endpoints.map { calls.route($0, under: "/database/1/{container}/{environment}/{database}/") }
    }

    static let endpoints: [APIEndpoint] = records + zones + subscriptions + users + assets

    private static let records: [APIEndpoint] = [
        APIEndpoint(
            "records/modify", .act, .stored(atMost: Limits.lookupBytesMax) { try await $0.bytesToModify() },
            cost: .each("operations")
        ) { try await $0.modifyRecords() },
        APIEndpoint("records/lookup", .read, .records("records"), cost: .each("records")) {
            try await $0.lookUpRecords()
        },
        APIEndpoint("records/query", .read, .page(Limits.queryPageBytesMax), cost: .query) {
            try await $0.queryRecords()
        },
        APIEndpoint("records/changes", .act, .page(Limits.feedPageBytesMax), cost: .page, reads: true) {
            try await $0.recordChanges()
        },
        // What these lead to is shared from private databases, though their path is the public one's.
        APIEndpoint("records/resolve", .actAsPerson, .shares, cost: .each("shortGUIDs"), reads: true) {
            try await $0.resolveShares()
        },
        APIEndpoint("records/accept", .actAsPerson, .shares, cost: .each("shortGUIDs")) { try await $0.acceptShares() },
    ]

    // Lists answer POST, too: some clients post to all endpoints.
    private static let zones: [APIEndpoint] = [
        APIEndpoint("changes/database", .act, .small, cost: .page, reads: true) { try await $0.databaseChanges() },
        APIEndpoint("changes/zone", .act, .page(Limits.feedPageBytesMax), cost: .pages(of: "zones"), reads: true) {
            try await $0.zoneChanges()
        },
        APIEndpoint("zones/list", .read, .page(Limits.zonesBytesMax), methods: ["GET", "POST"], cost: .page) {
            try await $0.listZones()
        },
        APIEndpoint("zones/lookup", .read, .small) { try await $0.lookUpZones() },
        APIEndpoint("zones/modify", .act, .small, cost: .each("operations")) { try await $0.modifyZones() },
        APIEndpoint("zones/changes", .act, .small, cost: .page, reads: true) { try await $0.metaChanges() },
    ]

    private static let subscriptions: [APIEndpoint] = [
        APIEndpoint(
            "subscriptions/modify", .act, .stored(atMost: Limits.testBytesMax) { $0.bytesOfTests() },
            cost: .operationsWithTests
        ) { try await $0.modifySubscriptions() },
        APIEndpoint(
            "subscriptions/list", .act, .stored(atMost: Limits.lookupBytesMax) { try await $0.bytesOfSubscriptions() },
            methods: ["GET", "POST"], cost: .page, reads: true
        ) {
            try await $0.listSubscriptions()
        },
        APIEndpoint(
            "subscriptions/lookup", .act,
            .each("subscriptions", Limits.subscriptionBytesMax, atMost: Limits.lookupBytesMax),
            cost: .each("subscriptions"), reads: true
        ) { try await $0.lookUpSubscriptions() },
    ]

    private static let users: [APIEndpoint] = [
        // Apple's own examples request the user of a server-to-server key.
        APIEndpoint("users/caller", .knowOneself, .small, methods: ["GET", "POST"], reads: true) {
            try await $0.currentUser()
        },
        APIEndpoint("users/current", .knowOneself, .small, methods: ["GET", "POST"], reads: true) {
            try await $0.currentUser()
        },
        // Known in two forms.
        APIEndpoint("users/discover", .knowUsers, .small, methods: ["GET", "POST"], reads: true) {
            try await $0.discoverUsers()
        },
        APIEndpoint("users/discoverable", .knowUsers, .small) { try await $0.setDiscoverable() },
        APIEndpoint("users/lookup/email", .knowUsers, .small, reads: true) { try await $0.lookUpUsers(byEmail: true) },
        APIEndpoint("users/lookup/contacts", .knowUsers, .small, reads: true) { try await $0.lookUpContacts() },
        APIEndpoint("users/lookup/id", .knowUsers, .small, reads: true) { try await $0.lookUpUsers(byEmail: false) },
    ]

    private static let assets: [APIEndpoint] = [
        APIEndpoint("assets/upload", .act, .small, cost: .each("tokens")) { try await $0.makeAssetUploads() },
        APIEndpoint("assets/rereference", .act, .records("assets"), cost: .each("assets")) {
            try await $0.rereferenceAssets()
        },
    ]
}
