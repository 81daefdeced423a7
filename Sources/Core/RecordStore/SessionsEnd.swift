/// The reason why all sessions of a user end.
package enum SessionsEnd: Sendable {
    /// The user or an operator ended them, or the user's credential is gone.
    case signOut
    /// An operator blocked the user.
    case block
    /// An operator let a blocked user in again: the user has to sign in.
    case unblock
}
