/// The endpoints of a user's devices: registration, notifications, badges, tokens of web couriers and addresses of
/// pushes.
struct DeviceMount: Mount {
    let calls: APICalls

    var routes: [Route] {
        Self.endpoints.map { calls.route($0, under: "/device/1/{container}/{environment}/") }
            // Where Apple's document has them, and clients that go by it ask.
            + ["/database/1/{container}/{environment}/", "/database/1/{container}/{environment}/{database}/"]
            .flatMap { prefix in Self.tokens.map { calls.route($0, under: prefix) } }
    }

    static let endpoints: [APIEndpoint] = devices + tokens

    private static let tokens: [APIEndpoint] = [
        APIEndpoint("tokens/create", .actAsPerson, .small, cost: .device) { try await $0.createToken() },
        APIEndpoint("tokens/register", .actAsPerson, .small) { try await $0.registerToken() },
    ]

    // A page of notifications is read within a bound of its own, so that one that is waited for holds no room.
    private static let devices: [APIEndpoint] = [
        APIEndpoint("devices/register", .actAsPerson, .small, cost: .device) { try await $0.registerDevice() },
        APIEndpoint("devices/list", .actAsPerson, .small, methods: ["GET"]) { try await $0.listDevices() },
        APIEndpoint("devices/unregister", .actAsPerson, .small, cost: .device) { try await $0.unregisterDevice() },
        APIEndpoint("devices/push", .actAsPerson, .small, cost: .device) { try await $0.registerPush() },
        APIEndpoint("devices/push/remove", .actAsPerson, .small, methods: ["POST", "DELETE"], cost: .device) {
            try await $0.removePush()
        },
        APIEndpoint("devices/policies", .actAsPerson, .small, methods: ["GET", "POST"], cost: .device) {
            try await $0.devicePolicies()
        },
        APIEndpoint("push/keys", .actAsPerson, .small, methods: ["GET"]) { try await $0.pushKeys() },
        APIEndpoint("notifications/changes", .actAsPerson, .small, waiting: .poll, reads: true) {
            try await $0.notificationChanges()
        },
        APIEndpoint("notifications/stream", .actAsPerson, .small, methods: ["GET"], waiting: .stream) {
            try await $0.notificationStream()
        },
        APIEndpoint("notifications/markRead", .actAsPerson, .small, cost: .each("notificationIDs")) {
            try await $0.markRead()
        },
        APIEndpoint("badge/modify", .actAsPerson, .small) { try await $0.modifyBadge() },
        APIEndpoint("badge/current", .actAsPerson, .small, methods: ["GET"]) { try await $0.currentBadge() },
    ]
}
