import CloudModel

/// A client of one container of a Fanfare service. A value: signing in makes another that acts for the user.
public struct FanfareClient: Sendable {
    /// One of a container's two environments, which share nothing.
    public enum Environment: String, Sendable {
        case development, production
    }

    /// The user whom the client acts for; nil for nobody.
    public private(set) var userRecordName: String?
    private var service: CloudService

    /// A client that acts for nobody.
    /// - Parameters:
    ///   - url: the service's address, such as `https://cloud.example.com`.
    ///   - container: the container's identifier, such as `iCloud.com.example.Gallery`.
    ///   - apiToken: lets the app in; the service's operator makes it.
    public init(
        url: String, container: String, environment: Environment = .production, apiToken: String,
        transport: any FanfareTransport = URLSessionTransport()
    ) {
        let scope = ContainerEnvironment(
            container: ContainerIdentifier(trusted: container),
            environment: environment == .production ? .production : .development)
        service = CloudService(url: url, scope: scope, apiToken: apiToken, transport: transport)
    }

    /// A client that acts for the user of an ID token.
    public func signedIn(idToken: String) async throws -> FanfareClient {
        signedIn(try await service.signedIn(idToken: idToken))
    }

    /// A client that acts for a user by name, where the service allows that for development.
    public func signedIn(developmentUser name: String) async throws -> FanfareClient {
        signedIn(try await service.signedIn(as: name))
    }

    /// Ends the user's sign-in on the service.
    public func signOut() async throws { try await service.signOut() }

    /// One of the container's databases.
    public func database(_ scope: FanfareDatabase.Scope) -> FanfareDatabase {
        FanfareDatabase(service: service, scope: scope.noun)
    }

    /// Registers a device of the user, which has notifications from then on; harmless when it is registered.
    /// - Parameter id: 1 to 64 letters, digits, `-` and `_`.
    public func registerDevice(_ id: String, name: String = "", platform: String = "") async throws {
        try await service.register(DeviceID(trusted: id), name: name, platform: platform)
    }

    /// Removes a device of the user.
    public func unregisterDevice(_ id: String) async throws { try await service.unregister(DeviceID(trusted: id)) }

    /// A device's notifications as they come, from a change token on; nil is the start of what is retained.
    public func notifications(on device: String, after token: String? = nil) -> FanfareNotifications {
        FanfareNotifications(service: service, device: DeviceID(trusted: device), token: token)
    }

    /// A page of a device's notifications after a change token; nil is the start of what is retained.
    /// - Returns: the notifications, the token to read on with, and whether there are more already.
    public func notificationPage(
        on device: String, after token: String? = nil, limit: Int = 200
    ) async throws -> (notifications: [FanfareNotification], token: String, moreComing: Bool) {
        let page = try await service.notifications(of: DeviceID(trusted: device), after: token, limit: limit)
        let notifications = try page.json.map { FanfareNotification(try service.received($0), token: page.token) }
        return (notifications, page.token, page.moreComing)
    }

    /// Marks notifications read on all of the user's devices, in the name of one.
    public func markRead(_ ids: [String], on device: String) async throws {
        if let refused = try await service.markRead(ids, on: DeviceID(trusted: device)).first { throw refused.value }
    }

    private func signedIn(_ made: (client: CloudService, user: UserRecordName)) -> FanfareClient {
        var client = self
        client.service = made.client
        client.userRecordName = made.user.rawValue
        return client
    }
}
