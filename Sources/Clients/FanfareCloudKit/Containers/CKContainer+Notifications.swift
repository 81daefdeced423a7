import CloudModel
public import Foundation

extension CKContainer {
    /// Registers this device, so that the service keeps notifications for it. Registering it again changes nothing.
    /// Calls that need a device register it themselves. Not in CloudKit, where the system does it.
    /// - Returns: the device's ID.
    @discardableResult
    public func registerDevice() async throws -> String {
        do { return try await session.device().rawValue } catch { throw CKError(error) }
    }

    /// Registers this device, and the token that the system gave to the app in
    /// `didRegisterForRemoteNotificationsWithDeviceToken`, so that the service knows where to send its pushes. Call it
    /// at each start, as tokens change. Not in CloudKit, where the system does it.
    /// - Parameters:
    ///     - deviceToken: the token, 32 to 100 bytes.
    ///     - environment: the environment of APNs that the app is signed for; nil is that of the container. An app from
    ///     TestFlight has `production`.
    ///     - topic: the app's bundle ID; nil is that of the running app, or the service's default where there is none.
    public func register(
        deviceToken: Data, environment: Configuration.Environment? = nil, topic: String? = nil
    ) async throws {
        do {
            let device = try await session.device()
            let topic = topic ?? Bundle.main.bundleIdentifier
            try await session.call { signedIn in
                let name = environment?.rawValue ?? signedIn.service.scope.environment.description
                try await signedIn.service.register(
                    token: [UInt8](deviceToken), environment: APNSEnvironment(rawValue: name) ?? .production,
                    topic: topic, of: device)
            }
        } catch { throw CKError(error) }
    }

    /// Removes a device of the user and its feed; by default this one. Not in CloudKit.
    public func unregisterDevice(_ deviceID: String? = nil) async throws {
        let device = if let deviceID { DeviceID(trusted: deviceID) } else { try await session.device() }
        try await session.call { try await $0.service.unregister(device) }
        await session.forgetDevice()
    }

    /// The notifications of a device of the user as they come, each once, in order. The sequence reconnects by itself.
    /// Not in CloudKit.
    /// - Parameters:
    ///     - device: the device's ID; nil is this one, which is registered first.
    ///     - token: the token of the last notification that the app has handled; nil is the start of the retained
    ///     notifications.
    public func notifications(
        for device: String? = nil, after token: CKServerChangeToken? = nil
    ) -> CKNotificationSequence {
        CKNotificationSequence(
            session: session.shared, container: containerIdentifier ?? "", device: device.map { DeviceID(trusted: $0) },
            token: token, scope: nil)
    }

    /// A page of this device's notifications after a token. Not in CloudKit.
    /// - Parameter limit: the most notifications; 0 leaves it to the service.
    public func notificationPage(
        after token: CKServerChangeToken? = nil, limit: Int = 0
    ) async throws -> (notifications: [CKNotification], token: CKServerChangeToken, moreComing: Bool) {
        let container = containerIdentifier ?? ""
        do {
            let device = try await session.device()
            return try await session.call { signedIn in
                let page = try await signedIn.service.notifications(
                    of: device, after: token?.text, limit: limit, withPushPayloads: false)
                let notifications = try page.json.map {
                    CKNotification.received(try signedIn.service.received($0), container: container, token: nil)
                }
                return (notifications, CKServerChangeToken(page.token), page.moreComing)
            }
        } catch { throw CKError(error) }
    }

    /// Marks notifications as read, on all of the user's devices. Not in CloudKit.
    /// - Returns: the errors of those that are not the user's, or whose request failed.
    /// - Throws: `CKError` if no request was answered.
    @discardableResult
    public func markRead(_ ids: [CKNotification.ID]) async throws -> [CKNotification.ID: any Error] {
        let device = try await session.device()
        var errors: [CKNotification.ID: any Error] = [:]
        var parts = Parts()
        for start in stride(from: 0, to: ids.count, by: Limits.operationsMax) {
            let part = ids[start..<min(start + Limits.operationsMax, ids.count)]
            do {
                let names = part.map(\.text)
                let refused = try await session.call { try await $0.service.markRead(names, on: device) }
                for (id, error) in refused { errors[CKNotification.ID(id)] = CKError(error, ofItem: true) }
                parts.isAnswered = true
            } catch {
                let error = try parts.judge(error)
                for id in part { errors[id] = error }
            }
        }
        try parts.end()
        return errors
    }

    /// The badge of this device. Not in CloudKit.
    public func badge() async throws -> Int {
        let device = try await session.device()
        return Int(try await session.call { try await $0.service.badge(of: device) })
    }

    /// Sets the badge of all of the user's devices. Not in CloudKit.
    public func setBadge(_ value: Int) async throws {
        let device = try await session.device()
        try await session.call { try await $0.service.setBadge(Int64(value), on: device) }
    }

    /// Ends the user's sign-in on the service, and the pushes to this device's token. Not in CloudKit.
    public func signOut() async throws {
        do {
            try await session.call { signedIn in
                if let device = signedIn.device { try await signedIn.service.removeToken(of: device) }
            }
        } catch {
            // A device that was never registered has no token.
            guard CKError(error).serverErrorCode == "NOT_FOUND" else { throw error }
        }
        try await session.call { try await $0.service.signOut() }
        NotificationCenter.default.post(name: .CKAccountChanged, object: nil)
    }

    /// Starts an operation in this container.
    public func add(_ operation: CKOperation) {
        if operation.configuration?.container == nil { operation.configuration?.container = self }
        operation.defaults = session.defaults
        CKOperation.queue.addOperation(operation)
    }
}
