public import Foundation

extension CKContainer {
    /// Calls a handler with the state of the user's sign-in.
    @preconcurrency public func accountStatus(
        completionHandler: @escaping @Sendable (CKAccountStatus, (any Error)?) -> Void
    ) {
        Callback.two({ status, error in completionHandler(status ?? .couldNotDetermine, error) }) {
            try await self.accountStatus()
        }
    }

    /// Calls a handler with the ID of the user's record.
    @preconcurrency public func fetchUserRecordID(
        completionHandler: @escaping @Sendable (CKRecord.ID?, (any Error)?) -> Void
    ) {
        Callback.two(completionHandler) { try await self.userRecordID() }
    }

    /// Finds the share of a link, and calls a handler with it.
    @preconcurrency public func fetchShareMetadata(
        with url: URL, completionHandler: @escaping @Sendable (CKShare.Metadata?, (any Error)?) -> Void
    ) {
        Callback.two(completionHandler) { try await self.shareMetadata(for: url) }
    }

    /// Accepts a share, and calls a handler with it.
    @preconcurrency public func accept(
        _ metadata: CKShare.Metadata, completionHandler: @escaping @Sendable (CKShare?, (any Error)?) -> Void
    ) {
        Callback.two(completionHandler) { try await self.accept(metadata) }
    }

    /// Finds somebody as a participant of a share, and calls a handler with it.
    @preconcurrency public func fetchShareParticipant(
        withEmailAddress emailAddress: String,
        completionHandler: @escaping @Sendable (CKShare.Participant?, (any Error)?) -> Void
    ) {
        Callback.two(completionHandler) { try await self.shareParticipant(forEmailAddress: emailAddress) }
    }

    /// Finds a user by an email address, and calls a handler with the identity.
    @preconcurrency public func discoverUserIdentity(
        withEmailAddress emailAddress: String,
        completionHandler: @escaping @Sendable (CKUserIdentity?, (any Error)?) -> Void
    ) {
        Task {
            do {
                completionHandler(try await userIdentity(forEmailAddress: emailAddress), nil)
            } catch {
                completionHandler(nil, CKError(error))
            }
        }
    }
}
