/// The endpoints that begin and end sessions.
struct SessionMount: Mount {
    let calls: APICalls

    var routes: [Route] { Self.endpoints.map { calls.route($0, under: "/auth/1/{container}/{environment}/") } }

    static let endpoints: [APIEndpoint] = [
        APIEndpoint("signin", .signIn, renewsSession: false) { try await $0.signIn() },
        APIEndpoint("signout", .actAsPerson, renewsSession: false) { try await $0.signOut() },
    ]
}
