public import Foundation

// What can change is guarded, as in the class above it.
/// Accepts shares.
public final class CKAcceptSharesOperation: CKOperation, @unchecked Sendable {
    /// The shares, as `CKFetchShareMetadataOperation` found them.
    @CKGuarded public var shareMetadatas: [CKShare.Metadata]? = nil
    /// Told of each share.
    @CKBlock public var perShareResultBlock: ((CKShare.Metadata, Result<CKShare, any Error>) -> Void)? = nil
    /// Told of the end.
    @CKBlock public var acceptSharesResultBlock: ((Result<Void, any Error>) -> Void)? = nil

    /// An operation that accepts shares.
    public convenience init(shareMetadatas: [CKShare.Metadata]) {
        self.init()
        self.shareMetadatas = shareMetadatas
    }

    override func run() async {
        do {
            try Task.checkCancellation()
            let results = try await ownContainer.accept(shareMetadatas ?? [])
            for metadata in shareMetadatas ?? [] {
                if let result = results[metadata] { perShareResultBlock?(metadata, result) }
            }
            acceptSharesResultBlock?(.success(()))
        } catch {
            acceptSharesResultBlock?(.failure(CKError(error)))
        }
    }
}

// What can change is guarded, as in the class above it.
/// Finds the shares of links.
public final class CKFetchShareMetadataOperation: CKOperation, @unchecked Sendable {
    /// The links.
    @CKGuarded public var shareURLs: [URL]? = nil
    /// Has no effect here: the root record is always fetched.
    @CKGuarded public var shouldFetchRootRecord = true
    /// The fields of the root records; nil is all.
    @CKGuarded public var rootRecordDesiredKeys: [CKRecord.FieldKey]? = nil
    /// Told of each share.
    @CKBlock public var perShareMetadataResultBlock: ((URL, Result<CKShare.Metadata, any Error>) -> Void)? =
        nil
    /// Told of the end.
    @CKBlock public var fetchShareMetadataResultBlock: ((Result<Void, any Error>) -> Void)? = nil

    /// An operation that finds the shares of links.
    public convenience init(shareURLs: [URL]) {
        self.init()
        self.shareURLs = shareURLs
    }

    override func run() async {
        do {
            try Task.checkCancellation()
            let results = try await ownContainer.shareMetadatas(for: shareURLs ?? [], rootKeys: rootRecordDesiredKeys)
            for url in shareURLs ?? [] {
                if let result = results[url] { perShareMetadataResultBlock?(url, result) }
            }
            fetchShareMetadataResultBlock?(.success(()))
        } catch {
            fetchShareMetadataResultBlock?(.failure(CKError(error)))
        }
    }
}

// What can change is guarded, as in the class above it.
/// Finds users as participants of shares.
public final class CKFetchShareParticipantsOperation: CKOperation, @unchecked Sendable {
    /// The users.
    @CKGuarded public var userIdentityLookupInfos: [CKUserIdentity.LookupInfo]? = nil
    /// Told of each user.
    @CKBlock public var perShareParticipantResultBlock:
        ((CKUserIdentity.LookupInfo, Result<CKShare.Participant, any Error>) -> Void)? = nil
    /// Told of the end.
    @CKBlock public var fetchShareParticipantsResultBlock: ((Result<Void, any Error>) -> Void)? = nil

    /// An operation that finds users.
    public convenience init(userIdentityLookupInfos: [CKUserIdentity.LookupInfo]) {
        self.init()
        self.userIdentityLookupInfos = userIdentityLookupInfos
    }

    override func run() async {
        do {
            for lookup in userIdentityLookupInfos ?? [] {
                try Task.checkCancellation()
                let participant = try await ownContainer.participant(lookup)
                perShareParticipantResultBlock?(lookup, .success(participant))
            }
            fetchShareParticipantsResultBlock?(.success(()))
        } catch {
            fetchShareParticipantsResultBlock?(.failure(CKError(error)))
        }
    }
}
