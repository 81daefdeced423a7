public import Foundation

// What can change is guarded, as in the class above it.
/// Accepts shares.
open class CKAcceptSharesOperation: CKOperation, @unchecked Sendable {
    /// The shares, as `CKFetchShareMetadataOperation` found them.
    @CKGuarded open var shareMetadatas: [CKShare.Metadata]? = nil
    /// Called for each share.
    @CKBlock open var perShareResultBlock: ((CKShare.Metadata, Result<CKShare, any Error>) -> Void)? = nil
    /// Called for each share, in CloudKit's older form.
    @CKBlock open var perShareCompletionBlock: ((CKShare.Metadata, CKShare?, (any Error)?) -> Void)? = nil
    /// Called at the end.
    @CKBlock open var acceptSharesResultBlock: ((Result<Void, any Error>) -> Void)? = nil
    /// Called at the end, in CloudKit's older form.
    @CKBlock open var acceptSharesCompletionBlock: (((any Error)?) -> Void)? = nil

    /// An operation that accepts shares.
    public convenience init(shareMetadatas: [CKShare.Metadata]) {
        self.init()
        self.shareMetadatas = shareMetadatas
    }

    override func run() async {
        var errors: [(id: any Hashable & Sendable, error: any Error)] = []
        var failure: CKError?
        do {
            try Task.checkCancellation()
            let results = try await ownContainer.accept(shareMetadatas ?? [])
            for metadata in shareMetadatas ?? [] {
                guard let result = results[metadata] else { continue }
                if let error = result.error { errors.append((metadata.shortGUID, error)) }
                perShareResultBlock?(metadata, result)
                perShareCompletionBlock?(metadata, try? result.get(), result.error)
            }
        } catch {
            failure = CKError(error)
        }
        acceptSharesResultBlock?(Self.result(failure))
        acceptSharesCompletionBlock?(failure ?? Self.failure(errors))
    }
}

// What can change is guarded, as in the class above it.
/// Finds the shares of links.
open class CKFetchShareMetadataOperation: CKOperation, @unchecked Sendable {
    /// The links.
    @CKGuarded open var shareURLs: [URL]? = nil
    /// Has no effect here: the root record is always fetched.
    @CKGuarded open var shouldFetchRootRecord = true
    /// The fields of the root records; nil is all.
    @CKGuarded open var rootRecordDesiredKeys: [CKRecord.FieldKey]? = nil
    /// Called for each share.
    @CKBlock open var perShareMetadataResultBlock: ((URL, Result<CKShare.Metadata, any Error>) -> Void)? =
        nil
    /// Called for each share, in CloudKit's older form.
    @CKBlock open var perShareMetadataBlock: ((URL, CKShare.Metadata?, (any Error)?) -> Void)? = nil
    /// Called at the end.
    @CKBlock open var fetchShareMetadataResultBlock: ((Result<Void, any Error>) -> Void)? = nil
    /// Called at the end, in CloudKit's older form.
    @CKBlock open var fetchShareMetadataCompletionBlock: (((any Error)?) -> Void)? = nil

    /// An operation that finds the shares of links.
    public convenience init(shareURLs: [URL]) {
        self.init()
        self.shareURLs = shareURLs
    }

    override func run() async {
        var errors: [(id: any Hashable & Sendable, error: any Error)] = []
        var failure: CKError?
        do {
            try Task.checkCancellation()
            let results = try await ownContainer.shareMetadatas(for: shareURLs ?? [], rootKeys: rootRecordDesiredKeys)
            for url in shareURLs ?? [] {
                guard let result = results[url] else { continue }
                if let error = result.error { errors.append((url, error)) }
                perShareMetadataResultBlock?(url, result)
                perShareMetadataBlock?(url, try? result.get(), result.error)
            }
        } catch {
            failure = CKError(error)
        }
        fetchShareMetadataResultBlock?(Self.result(failure))
        fetchShareMetadataCompletionBlock?(failure ?? Self.failure(errors))
    }
}

// What can change is guarded, as in the class above it.
/// Finds users as participants of shares.
open class CKFetchShareParticipantsOperation: CKOperation, @unchecked Sendable {
    /// The users.
    @CKGuarded open var userIdentityLookupInfos: [CKUserIdentity.LookupInfo]? = nil
    /// Called for each user.
    @CKBlock open var perShareParticipantResultBlock:
        ((CKUserIdentity.LookupInfo, Result<CKShare.Participant, any Error>) -> Void)? = nil
    /// Called for each user who is found, in CloudKit's older form.
    @CKBlock open var shareParticipantFetchedBlock: ((CKShare.Participant) -> Void)? = nil
    /// Called at the end.
    @CKBlock open var fetchShareParticipantsResultBlock: ((Result<Void, any Error>) -> Void)? = nil
    /// Called at the end, in CloudKit's older form.
    @CKBlock open var fetchShareParticipantsCompletionBlock: (((any Error)?) -> Void)? = nil

    /// An operation that finds users.
    public convenience init(userIdentityLookupInfos: [CKUserIdentity.LookupInfo]) {
        self.init()
        self.userIdentityLookupInfos = userIdentityLookupInfos
    }

    override func run() async {
        var errors: [(id: any Hashable & Sendable, error: any Error)] = []
        var failure: CKError?
        do {
            let lookups = userIdentityLookupInfos ?? []
            let results = try await ownContainer.each(lookups) { try await participant($0) }
            for lookup in lookups {
                guard let result = results[lookup] else { continue }
                if let error = result.error { errors.append((lookup, error)) }
                perShareParticipantResultBlock?(lookup, result)
                if let participant = try? result.get() { shareParticipantFetchedBlock?(participant) }
            }
        } catch {
            failure = CKError(error)
        }
        fetchShareParticipantsResultBlock?(Self.result(failure))
        fetchShareParticipantsCompletionBlock?(failure ?? Self.failure(errors))
    }

    private func participant(_ lookup: CKUserIdentity.LookupInfo) async throws -> CKShare.Participant {
        if let number = lookup.phoneNumber { return try await ownContainer.shareParticipant(forPhoneNumber: number) }
        return try await ownContainer.participant(lookup)
    }
}

extension Result {
    /// The error of a failure.
    var error: Failure? { if case .failure(let error) = self { error } else { nil } }
}
