import CloudModel
import Foundation

/// The sign-in of a container's user: started by the first request that needs it, renewed by answers, started again
/// after it has expired.
actor CloudSession {
    /// A client of the signed-in user.
    struct SignedIn: Sendable {
        var service: CloudService
        /// The user; nil is nobody.
        var user: UserRecordName?
        /// The device that requests come from; nil for nobody.
        var device: DeviceID?
    }

    nonisolated let configuration: CKContainer.Configuration?
    /// The folder of downloaded files.
    nonisolated let files: URL
    private let missing: CKError?
    private let fresh = FreshToken()
    private var signIn: Task<SignedIn, any Error>?
    private var registration: Task<DeviceID, any Error>?

    init(_ configuration: Result<CKContainer.Configuration, CKError>) {
        switch configuration {
        case .success(let configuration):
            self.configuration = configuration
            missing = nil
        case .failure(let error):
            self.configuration = nil
            missing = error
        }
        files = DeviceFile.folder(of: self.configuration).appendingPathComponent("assets")
    }

    /// The client, signed in.
    func signedIn() async throws -> SignedIn {
        guard let configuration else { throw missing ?? CKError(.badContainer, "no container is configured") }
        let task = signIn ?? Task { [fresh] in try await Self.begin(configuration, fresh) }
        signIn = task
        do {
            var signedIn = try await task.value
            if let token = fresh.token { signedIn.service.webAuthToken = token }
            return signedIn
        } catch {
            if signIn == task { signIn = nil }
            throw error
        }
    }

    /// Forgets a sign-in that the service has refused, so that the next request begins another one.
    /// - Returns: false where there is no way to begin another one.
    func renew(refused token: String?) -> Bool {
        switch configuration?.signIn {
        case .idToken, .developmentUser:
            // Somebody else may have renewed it meanwhile.
            guard fresh.forget(token) else { return true }
            signIn = nil
            return true
        default: return false
        }
    }

    /// Registers the device, once.
    func device() async throws -> DeviceID {
        let task = registration ?? Task { try await register() }
        registration = task
        do {
            return try await task.value
        } catch {
            if registration == task { registration = nil }
            throw error
        }
    }

    /// Registers a device again that the service does not know any more.
    func forgetDevice() { registration = nil }

    private func register() async throws -> DeviceID {
        let name = configuration?.deviceName ?? ""
        guard let device = try await signedIn().device else {
            throw CKError(.notAuthenticated, "notifications are a user's: sign in")
        }
        try await call { try await $0.service.register(device, name: name, platform: "FanfareCloudKit") }
        return device
    }

    private static func begin(_ configuration: CKContainer.Configuration, _ fresh: FreshToken) async throws -> SignedIn
    {
        let scope = ContainerEnvironment(
            container: ContainerIdentifier(trusted: configuration.containerIdentifier),
            environment: configuration.environment == .production ? .production : .development)
        let anonymous = CloudService(
            url: configuration.url, scope: scope, apiToken: configuration.apiToken,
            transport: SessionTransport(transport: configuration.transport, fresh: fresh))
        fresh.reset()
        var signedIn: SignedIn
        switch configuration.signIn {
        case .nobody: return SignedIn(service: anonymous)
        case .developmentUser(let name):
            let made = try await anonymous.signedIn(as: name)
            signedIn = SignedIn(service: made.client, user: made.user)
        case .idToken(let token):
            let made = try await anonymous.signedIn(idToken: try await token())
            signedIn = SignedIn(service: made.client, user: made.user)
        case .webAuthToken(let token):
            var service = anonymous
            service.webAuthToken = token
            signedIn = SignedIn(service: service, user: try await service.caller().name)
        }
        if fresh.token == nil, let token = signedIn.service.webAuthToken { fresh.set(token) }
        if let user = signedIn.user {
            let device = configuration.deviceID ?? DeviceFile(configuration, user: user).deviceID()
            signedIn.device = DeviceID(trusted: device)
            signedIn.service.clientID = device
        }
        return signedIn
    }
}
