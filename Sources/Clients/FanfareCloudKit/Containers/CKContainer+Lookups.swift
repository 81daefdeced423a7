import Foundation

extension CKContainer {
    /// Users as participants of a share, by email addresses; a result for each.
    public func shareParticipants(
        forEmailAddresses emailAddresses: [String]
    ) async throws -> [String: Result<CKShare.Participant, any Error>] {
        try await each(emailAddresses) { try await self.shareParticipant(forEmailAddress: $0) }
    }

    /// Users as participants of a share, by phone numbers, which the service does not know: a failure for each.
    public func shareParticipants(
        forPhoneNumbers phoneNumbers: [String]
    ) async throws -> [String: Result<CKShare.Participant, any Error>] {
        try await each(phoneNumbers) { try await self.shareParticipant(forPhoneNumber: $0) }
    }

    /// Users as participants of a share, by the IDs of their records; a result for each.
    public func shareParticipants(
        forUserRecordIDs userRecordIDs: [CKRecord.ID]
    ) async throws -> [CKRecord.ID: Result<CKShare.Participant, any Error>] {
        try await each(userRecordIDs) { try await self.shareParticipant(forUserRecordID: $0) }
    }

    /// Users by email addresses, those who may be found by them.
    public func userIdentities(forEmailAddresses emailAddresses: [String]) async throws -> [String: CKUserIdentity] {
        try await found(emailAddresses) { try await self.userIdentity(forEmailAddress: $0) }
    }

    /// No users: the service knows no phone numbers.
    public func userIdentities(forPhoneNumbers phoneNumbers: [String]) async throws -> [String: CKUserIdentity] { [:] }

    /// Users by the IDs of their records, those who may be found by them.
    public func userIdentities(
        forUserRecordIDs userRecordIDs: [CKRecord.ID]
    ) async throws -> [CKRecord.ID: CKUserIdentity] {
        try await found(userRecordIDs) { try await self.userIdentity(forUserRecordID: $0) }
    }

    /// Looks up each key, with a request for each.
    /// - Throws: `CKError` if no request was answered.
    func each<Key: Hashable, Value>(
        _ keys: [Key], _ look: (Key) async throws -> Value
    ) async throws -> [Key: Result<Value, any Error>] {
        var results: [Key: Result<Value, any Error>] = [:]
        var parts = Parts()
        for key in keys where results[key] == nil {
            do {
                try Task.checkCancellation()
                results[key] = .success(try await look(key))
                parts.isAnswered = true
            } catch {
                results[key] = .failure(try parts.judge(error))
            }
        }
        try parts.end()
        return results
    }

    /// Those who are found. There is no place for the errors of others, which are left out.
    private func found<Key: Hashable, Value>(
        _ keys: [Key], _ look: (Key) async throws -> Value?
    ) async throws -> [Key: Value] {
        try await each(keys, look).compactMapValues { try? $0.get() }
    }
}
