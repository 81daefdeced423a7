import Foundation

// What can change is guarded, as in the class above it.
/// Finds users who said that they may be found.
open class CKDiscoverUserIdentitiesOperation: CKOperation, @unchecked Sendable {
    /// The ways to look the users up.
    @CKGuarded open var userIdentityLookupInfos: [CKUserIdentity.LookupInfo] = []
    /// Called for each user who is found.
    @CKBlock open var userIdentityDiscoveredBlock: ((CKUserIdentity, CKUserIdentity.LookupInfo) -> Void)? = nil
    /// Called at the end.
    @CKBlock open var discoverUserIdentitiesResultBlock: ((Result<Void, any Error>) -> Void)? = nil
    /// Called at the end, in CloudKit's older form.
    @CKBlock open var discoverUserIdentitiesCompletionBlock: (((any Error)?) -> Void)? = nil

    /// An operation that finds users.
    public convenience init(userIdentityLookupInfos: [CKUserIdentity.LookupInfo]) {
        self.init()
        self.userIdentityLookupInfos = userIdentityLookupInfos
    }

    override func run() async {
        var errors: [(id: any Hashable & Sendable, error: any Error)] = []
        var failure: CKError?
        do {
            let lookups = userIdentityLookupInfos
            let results = try await ownContainer.each(lookups) { try await ownContainer.identity($0) }
            for lookup in lookups {
                guard let result = results[lookup] else { continue }
                if let error = result.error { errors.append((lookup, error)) }
                if let identity = try? result.get() { userIdentityDiscoveredBlock?(identity, lookup) }
            }
        } catch {
            failure = CKError(error)
        }
        discoverUserIdentitiesResultBlock?(Self.result(failure))
        discoverUserIdentitiesCompletionBlock?(failure ?? Self.failure(errors))
    }
}

// What can change is guarded, as in the class above it.
/// Finds all users who said that they may be found. CloudKit asks the device's address book, which a service has not.
open class CKDiscoverAllUserIdentitiesOperation: CKOperation, @unchecked Sendable {
    /// Called for each user.
    @CKBlock open var userIdentityDiscoveredBlock: ((CKUserIdentity) -> Void)? = nil
    /// Called at the end.
    @CKBlock open var discoverAllUserIdentitiesResultBlock: ((Result<Void, any Error>) -> Void)? = nil
    /// Called at the end, in CloudKit's older form.
    @CKBlock open var discoverAllUserIdentitiesCompletionBlock: (((any Error)?) -> Void)? = nil

    override func run() async {
        var failure: CKError?
        do {
            for identity in try await ownContainer.allUserIdentitiesFromContacts() {
                try Task.checkCancellation()
                userIdentityDiscoveredBlock?(identity)
            }
        } catch {
            failure = CKError(error)
        }
        discoverAllUserIdentitiesResultBlock?(Self.result(failure))
        discoverAllUserIdentitiesCompletionBlock?(failure)
    }
}
