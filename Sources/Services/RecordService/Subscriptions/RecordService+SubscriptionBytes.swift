package import CloudModel
import RecordStore

extension RecordService {
    /// Bytes that all subscriptions of the caller in a database have, encoded.
    package func subscriptionBytes(in database: DatabaseScope, for caller: Caller) async throws -> Int {
        let user = try caller.signedIn(to: "subscriptions")
        return try await store.read { try $0.subscriptionBytes(of: user, in: database) }
    }
}
