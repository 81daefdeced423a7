public import Foundation

extension CKContainer {
    /// Accepts shares, and calls a handler with the results.
    @preconcurrency public func accept(
        _ metadatas: [CKShare.Metadata],
        completionHandler:
            @escaping @Sendable (Result<[CKShare.Metadata: Result<CKShare, any Error>], any Error>) -> Void
    ) {
        Callback.result(completionHandler) { try await self.accept(metadatas) }
    }

    /// Finds the shares of links, and calls a handler with the results.
    @preconcurrency public func fetchShareMetadata(
        for urls: [URL],
        completionHandler: @escaping @Sendable (Result<[URL: Result<CKShare.Metadata, any Error>], any Error>) -> Void
    ) {
        Callback.result(completionHandler) { try await self.shareMetadatas(for: urls) }
    }

    /// Finds the shares of links, and calls a handler with the results.
    @preconcurrency public func fetchShareMetadatas(
        for urls: [URL],
        completionHandler: @escaping @Sendable (Result<[URL: Result<CKShare.Metadata, any Error>], any Error>) -> Void
    ) {
        fetchShareMetadata(for: urls, completionHandler: completionHandler)
    }

    /// Finds users as participants of a share by email addresses, and calls a handler with the results.
    @preconcurrency public func fetchShareParticipants(
        forEmailAddresses emailAddresses: [String],
        completionHandler:
            @escaping @Sendable (Result<[String: Result<CKShare.Participant, any Error>], any Error>) -> Void
    ) {
        Callback.result(completionHandler) { try await self.shareParticipants(forEmailAddresses: emailAddresses) }
    }

    /// Calls a handler with a failure for each: the service knows no phone numbers.
    @preconcurrency public func fetchShareParticipants(
        forPhoneNumbers phoneNumbers: [String],
        completionHandler:
            @escaping @Sendable (Result<[String: Result<CKShare.Participant, any Error>], any Error>) -> Void
    ) {
        Callback.result(completionHandler) { try await self.shareParticipants(forPhoneNumbers: phoneNumbers) }
    }

    /// Finds users as participants of a share by the IDs of their records, and calls a handler with the results.
    @preconcurrency public func fetchShareParticipants(
        forUserRecordIDs userRecordIDs: [CKRecord.ID],
        completionHandler:
            @escaping @Sendable (Result<[CKRecord.ID: Result<CKShare.Participant, any Error>], any Error>) -> Void
    ) {
        Callback.result(completionHandler) { try await self.shareParticipants(forUserRecordIDs: userRecordIDs) }
    }

    /// Finds users by email addresses, and calls a handler with those who may be found.
    @preconcurrency public func discoverUserIdentities(
        forEmailAddresses emailAddresses: [String],
        completionHandler: @escaping @Sendable (Result<[String: CKUserIdentity], any Error>) -> Void
    ) {
        Callback.result(completionHandler) { try await self.userIdentities(forEmailAddresses: emailAddresses) }
    }

    /// Calls a handler with nobody: the service knows no phone numbers.
    @preconcurrency public func discoverUserIdentities(
        forPhoneNumbers phoneNumbers: [String],
        completionHandler: @escaping @Sendable (Result<[String: CKUserIdentity], any Error>) -> Void
    ) {
        Callback.result(completionHandler) { try await self.userIdentities(forPhoneNumbers: phoneNumbers) }
    }

    /// Finds users by the IDs of their records, and calls a handler with those who may be found.
    @preconcurrency public func discoverUserIdentities(
        forUserRecordIDs userRecordIDs: [CKRecord.ID],
        completionHandler: @escaping @Sendable (Result<[CKRecord.ID: CKUserIdentity], any Error>) -> Void
    ) {
        Callback.result(completionHandler) { try await self.userIdentities(forUserRecordIDs: userRecordIDs) }
    }
}
