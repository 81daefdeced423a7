import CloudModel
import RecordStore

/// A cache of credentials and accounts in the store: as good as the store's identity version, which is asked for
/// again after a second at the latest, so that what another process takes back is gone here, too.
///
/// What is not in the store is not remembered: nobody fills this with names of their own making.
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

    /// Takes note of what was taken back in the store since the version that is known.
    /// - Parameter users: whom it concerns; nil is everybody.
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

    /// Keeps what was read together with a version; of an earlier version than the present one it may be wrong by now.
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
