import Foundation

extension CKContainer {
    /// The permissions that an app asks its user for.
    public struct ApplicationPermissions: OptionSet, Sendable {
        /// The bits.
        public let rawValue: UInt

        /// Permissions by their bits.
        public init(rawValue: UInt) { self.rawValue = rawValue }

        /// Others find the user by an email address.
        public static let userDiscoverability = ApplicationPermissions(rawValue: 1)
    }

    /// The user's answer to a permission, by CloudKit's numbers.
    public enum ApplicationPermissionStatus: Int, Sendable {
        /// The user was not asked, or took it back.
        case initialState = 0
        /// It could not be found out.
        case couldNotComplete = 1
        /// The user said no; never returned here.
        case denied = 2
        /// The user said yes.
        case granted = 3
    }

    /// The current state of a permission on the service.
    public func applicationPermissionStatus(
        for permission: ApplicationPermissions
    ) async throws -> ApplicationPermissionStatus {
        guard permission.contains(.userDiscoverability) else { return .initialState }
        return try await session.call { try await $0.service.isDiscoverable() } ? .granted : .initialState
    }

    /// Lets others find the user. No system asks the user here: the app has to, before.
    @discardableResult
    public func requestApplicationPermission(
        _ permission: ApplicationPermissions
    ) async throws -> ApplicationPermissionStatus {
        guard permission.contains(.userDiscoverability) else { return .initialState }
        return try await session.call { try await $0.service.setDiscoverable(true) } ? .granted : .initialState
    }

    /// The users who allowed others to find them, the first 200 by record name. CloudKit returns those in the device's
    /// address book, which a service does not have.
    public func allUserIdentitiesFromContacts() async throws -> [CKUserIdentity] {
        try await session.call { signedIn in
            try await signedIn.service.discoverable().map { CKUserIdentity($0, lookupInfo: nil) }
        }
    }

    /// Nil: the service knows no phone numbers.
    public func userIdentity(forPhoneNumber phoneNumber: String) async throws -> CKUserIdentity? { nil }

    /// Somebody as a participant of a share. The service knows no phone numbers: it cannot invite by one.
    /// - Throws: `CKError` with `unknownItem`, always.
    public func shareParticipant(forPhoneNumber phoneNumber: String) async throws -> CKShare.Participant {
        throw CKError(.unknownItem, "the service knows no phone numbers: invite by email address or user record")
    }

    // MARK: Completion handlers

    /// Calls a handler with the state of a permission.
    @preconcurrency public func status(
        forApplicationPermission permission: ApplicationPermissions,
        completionHandler: @escaping @Sendable (ApplicationPermissionStatus, (any Error)?) -> Void
    ) {
        Callback.two({ completionHandler($0 ?? .couldNotComplete, $1) }) {
            try await self.applicationPermissionStatus(for: permission)
        }
    }

    /// Lets others find the user, and calls a handler with the state of the permission.
    @preconcurrency public func requestApplicationPermission(
        _ permission: ApplicationPermissions,
        completionHandler: @escaping @Sendable (ApplicationPermissionStatus, (any Error)?) -> Void
    ) {
        Callback.two({ completionHandler($0 ?? .couldNotComplete, $1) }) {
            try await self.requestApplicationPermission(permission)
        }
    }

    /// Finds the users who said that they may be found, and calls a handler with them.
    @preconcurrency public func discoverAllIdentities(
        completionHandler: @escaping @Sendable ([CKUserIdentity]?, (any Error)?) -> Void
    ) {
        Callback.two(completionHandler) { try await self.allUserIdentitiesFromContacts() }
    }

    /// Finds a user by the ID of the user's record, and calls a handler with the identity.
    @preconcurrency public func discoverUserIdentity(
        withUserRecordID userRecordID: CKRecord.ID,
        completionHandler: @escaping @Sendable (CKUserIdentity?, (any Error)?) -> Void
    ) {
        Task {
            do {
                completionHandler(try await userIdentity(forUserRecordID: userRecordID), nil)
            } catch {
                completionHandler(nil, CKError(error))
            }
        }
    }

    /// Calls a handler with nobody: the service knows no phone numbers.
    @preconcurrency public func discoverUserIdentity(
        withPhoneNumber phoneNumber: String,
        completionHandler: @escaping @Sendable (CKUserIdentity?, (any Error)?) -> Void
    ) {
        Task { completionHandler(nil, nil) }
    }

    /// Calls a handler with `unknownItem`: the service knows no phone numbers.
    @preconcurrency public func fetchShareParticipant(
        withPhoneNumber phoneNumber: String,
        completionHandler: @escaping @Sendable (CKShare.Participant?, (any Error)?) -> Void
    ) {
        Callback.two(completionHandler) { try await self.shareParticipant(forPhoneNumber: phoneNumber) }
    }

    /// Finds somebody as a participant of a share by the ID of the user's record, and calls a handler with it.
    @preconcurrency public func fetchShareParticipant(
        withUserRecordID userRecordID: CKRecord.ID,
        completionHandler: @escaping @Sendable (CKShare.Participant?, (any Error)?) -> Void
    ) {
        Callback.two(completionHandler) { try await self.shareParticipant(forUserRecordID: userRecordID) }
    }
}

/// The older name of an app's permissions.
public typealias CKApplicationPermissions = CKContainer.ApplicationPermissions
/// The older name of the user's answer to a permission.
public typealias CKApplicationPermissionStatus = CKContainer.ApplicationPermissionStatus
