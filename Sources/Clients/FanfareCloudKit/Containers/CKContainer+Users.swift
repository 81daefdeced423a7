import CloudModel
public import Foundation
import JSON

/// The state of the user's sign-in, by CloudKit's numbers.
public enum CKAccountStatus: Int, Sendable {
    /// The state is unknown at present.
    case couldNotDetermine = 0
    /// A user is signed in.
    case available = 1
    /// The account may not do that; never returned here.
    case restricted = 2
    /// No user is signed in.
    case noAccount = 3
    /// The account cannot be used now; never returned here.
    case temporarilyUnavailable = 4
}

extension CKContainer {
    /// The current state of the user's sign-in on the service.
    public func accountStatus() async throws -> CKAccountStatus {
        do {
            _ = try await caller()
            return .available
        } catch {
            let error = CKError(error)
            switch error.code {
            case .notAuthenticated, .permissionFailure: return .noAccount
            case .operationCancelled, .badContainer: throw error
            default: return .couldNotDetermine
            }
        }
    }

    /// The ID of the user's record.
    public func userRecordID() async throws -> CKRecord.ID { CKRecord.ID(user: try await caller().name.rawValue) }

    /// Makes a participant of a share from an email address. A user who can be found by it has a record ID, too.
    public func shareParticipant(forEmailAddress emailAddress: String) async throws -> CKShare.Participant {
        let lookup = CKUserIdentity.LookupInfo(emailAddress: emailAddress)
        return CKShare.Participant(
            userIdentity: try await identity(lookup) ?? CKUserIdentity(name: nil, lookupInfo: lookup))
    }

    /// Somebody as a participant of a share, by the ID of the user's record.
    public func shareParticipant(forUserRecordID userRecordID: CKRecord.ID) async throws -> CKShare.Participant {
        let lookup = CKUserIdentity.LookupInfo(userRecordID: userRecordID)
        return CKShare.Participant(
            userIdentity: try await identity(lookup)
                ?? CKUserIdentity(name: userRecordID.recordName, lookupInfo: lookup))
    }

    /// A user by an email address; nil where nobody may be found by it.
    public func userIdentity(forEmailAddress emailAddress: String) async throws -> CKUserIdentity? {
        try await identity(CKUserIdentity.LookupInfo(emailAddress: emailAddress))
    }

    /// A user by the ID of the user's record; nil where nobody may be found by it.
    public func userIdentity(forUserRecordID userRecordID: CKRecord.ID) async throws -> CKUserIdentity? {
        try await identity(CKUserIdentity.LookupInfo(userRecordID: userRecordID))
    }

    /// The shares of links, or of short GUIDs.
    public func shareMetadatas(for urls: [URL]) async throws -> [URL: Result<CKShare.Metadata, any Error>] {
        try await shareMetadatas(for: urls, rootKeys: nil)
    }

    func shareMetadatas(
        for urls: [URL], rootKeys: [String]?
    ) async throws -> [URL: Result<CKShare.Metadata, any Error>] {
        let results = try await shares(urls.map { CKShare.shortGUID(of: $0) }, "resolve", keys: rootKeys)
        return Dictionary(zip(urls, results)) { first, _ in first }
    }

    /// The share of a link.
    public func shareMetadata(for url: URL) async throws -> CKShare.Metadata {
        guard let result = try await shareMetadatas(for: [url])[url] else {
            throw CKError(.unknownItem, "the answer has no share")
        }
        return try result.get()
    }

    /// Accepts a share: its zone comes into the shared database.
    @discardableResult
    public func accept(_ metadata: CKShare.Metadata) async throws -> CKShare {
        guard let result = try await accept([metadata])[metadata] else {
            throw CKError(.unknownItem, "the answer has no share")
        }
        return try result.get()
    }

    /// Accepts shares; a result for each.
    public func accept(
        _ metadatas: [CKShare.Metadata]
    ) async throws -> [CKShare.Metadata: Result<CKShare, any Error>] {
        let results = try await shares(metadatas.map(\.shortGUID), "accept")
        return Dictionary(zip(metadatas, results).map { ($0, $1.map(\.share)) }) { first, _ in first }
    }

    func participant(_ lookup: CKUserIdentity.LookupInfo) async throws -> CKShare.Participant {
        let name = lookup.userRecordID?.recordName
        return CKShare.Participant(
            userIdentity: try await identity(lookup) ?? CKUserIdentity(name: name, lookupInfo: lookup))
    }

    /// The shares of links, in their order; each is asked for once.
    private func shares(
        _ guids: [String], _ endpoint: String, keys: [String]? = nil
    ) async throws -> [Result<CKShare.Metadata, any Error>] {
        guard !guids.isEmpty else { return [] }
        var places: [String: Int] = [:]
        for guid in guids where places[guid] == nil { places[guid] = places.count }
        let asked = places.sorted { $0.value < $1.value }.map(\.key)
        let (results, reader) = try await session.call { [sharedCloudDatabase] signedIn in
            let service = signedIn.service
            let results = try await service.divided(asked) { try await service.shares($0, endpoint, keys: keys) }
            return (results, sharedCloudDatabase.reader(signedIn))
        }
        let container = containerIdentifier ?? ""
        return guids.map { guid in
            results[places[guid] ?? 0].map { CKShare.Metadata($0, guid: guid, container: container, reader: reader) }
                .mapError { CKError($0, ofItem: true) as any Error }
        }
    }

    func identity(_ lookup: CKUserIdentity.LookupInfo) async throws -> CKUserIdentity? {
        try await session.call { signedIn in
            let profile: UserProfile?
            if let address = lookup.emailAddress {
                profile = try await signedIn.service.discover(["emailAddress": .string(address)])
            } else if let id = lookup.userRecordID {
                profile = try await signedIn.service.discover(["userRecordName": .string(id.recordName)])
            } else {
                profile = nil
            }
            return profile.map { CKUserIdentity($0, lookupInfo: lookup) }
        }
    }

    private func caller() async throws -> UserProfile {
        try await session.call { signedIn in
            guard signedIn.user != nil else { throw CKError(.notAuthenticated, "nobody is signed in") }
            return try await signedIn.service.caller()
        }
    }
}
