/// The endpoints that begin and end sessions.
struct SessionMount: Mount {
    let calls: APICalls

    var routes: [Route] { Self.endpoints.map { calls.route($0, under: "/auth/1/{container}/{environment}/") } }

    static let endpoints: [APIEndpoint] = [
        APIEndpoint("signin", .signIn, .small, renewsSession: false, reads: true) { try await $0.signIn() },
        APIEndpoint("signout", .actAsPerson, .small, renewsSession: false, reads: true) { try await $0.signOut() },
    ]
}
