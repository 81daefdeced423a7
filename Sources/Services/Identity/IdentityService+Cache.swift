import CloudModel
import RecordStore
import Synchronization
import Waiting

extension IdentityService {
    /// Finds a fact about the sender of requests, cached or in the store.
    func identity<Value: Sendable>(
        known: (IdentityCache) -> Value?, keep: (Value) -> IdentityCache.Found,
        read: @escaping @Sendable (any StoreReader) throws -> Value?
    ) async throws -> Value? {
        try await checkCache()
        if let value = cache.withLock({ known($0) }) { return value }
        let (found, version) = try await store.read { reader in
            (try read(reader), try reader.identityChanges(after: .max).version)
        }
        if let found { cache.withLock { $0.keep(keep(found), as: version) } }
        return found
    }

    /// Looks whether something was taken back, if that was not done in this second.
    func checkCache() async throws {
        let time = now()
        guard cache.withLock({ $0.isStale(at: time) }) else { return }
        try await update(after: cache.withLock { $0.known }, at: time)
    }

    private func update(after known: Int64, at time: Timestamp) async throws {
        let (version, users) = try await store.read { try $0.identityChanges(after: known) }
        cache.withLock { $0.update(to: version, users, at: time) }
        if let users { for user in users { bell.ring(user) } } else { bell.ringAll() }
    }

    /// Revokes a credential or session: in force here at once, in other processes within a second.
    /// - Parameter user: the affected user; nil is all.
    func takeBack<Result: Sendable>(
        from user: UserRecordName?, _ body: @escaping @Sendable (any StoreTransaction) throws -> Result
    ) async throws -> Result {
        let result = try await store.write(in: user.map(StorePart.user) ?? .whole) { transaction in
            try transaction.noteIdentityChange(of: user)
            return try body(transaction)
        }
        try await update(after: cache.withLock { $0.known }, at: now())
        return result
    }
}
