import CloudModel
import RecordStore

/// A cache of credentials and accounts in the store: valid for the store's identity version, which is read again after
/// a second at the latest, so that a revocation by another process takes effect here, too.
///
/// Missing entries are not cached: no client can fill this with names of its own.
struct IdentityCache: Sendable {
    /// For how long an answer is given without a look at the version.
    static let patience: Int64 = 1000

    /// The store's version that this is as good as.
    private(set) var known: Int64 = -1
    private var checked: Timestamp?
    private(set) var tokens: [[UInt8]: APIToken] = [:]
    private(set) var keys: [String: ServerKey] = [:]
    private(set) var accounts: [UserRecordName: StoredAccount] = [:]

    /// Returns true if the version has to be looked at before an answer is given.
    func isStale(at now: Timestamp) -> Bool {
        guard let checked else { return true }
        return abs(now.milliseconds - checked.milliseconds) >= Self.patience
    }

    /// Notes the revocations in the store since the known version.
    /// - Parameter users: the affected users; nil is all.
    mutating func update(to found: Int64, _ users: [UserRecordName]?, at now: Timestamp) {
        // Two readers may come back in another order than they looked.
        guard found >= known else { return }
        checked = now
        known = found
        if let users { for user in users { accounts[user] = nil } } else { forget() }
    }

    private mutating func forget() {
        tokens = [:]
        keys = [:]
        accounts = [:]
    }

    /// Caches values that were read together with a version; those of an earlier version than the present one may be
    /// stale.
    mutating func keep(_ found: Found, as read: Int64) {
        guard read == known else { return }
        if max(tokens.count, keys.count, accounts.count) >= Limits.cachedIdentitiesMax {
            forget()
        }
        switch found {
        case .token(let digest, let token): tokens[digest] = token
        case .key(let id, let key): keys[id] = key
        case .account(let user, let account): accounts[user] = account
        }
    }

    /// One thing that was found.
    enum Found {
        case token([UInt8], APIToken)
        case key(String, ServerKey)
        case account(UserRecordName, StoredAccount)
    }
}
