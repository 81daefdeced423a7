package import CloudModel

/// A sign-in, which all tokens that follow from it carry on.
package struct UserSession: Hashable, Sendable {
    /// Who signed in.
    package var user: UserRecordName
    /// Which sign-in of the user's it is.
    package var id: UInt64
    /// When.
    package var signedIn: Timestamp
    /// Whether the user did not ask to be kept signed in.
    package var isBrief: Bool
    /// How often all sessions of the user had been ended by then.
    package var epoch: Int64

    package init(user: UserRecordName, id: UInt64, signedIn: Timestamp, isBrief: Bool, epoch: Int64) {
        self.user = user
        self.id = id
        self.signedIn = signedIn
        self.isBrief = isBrief
        self.epoch = epoch
    }
}
