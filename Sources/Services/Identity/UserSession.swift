package import CloudModel

/// A sign-in, which all tokens that follow from it carry on.
package struct UserSession: Hashable, Sendable {
    /// The user who signed in.
    package var user: UserRecordName
    /// The number of the sign-in among the user's.
    package var id: UInt64
    /// The time of the sign-in.
    package var signedIn: Timestamp
    /// A Boolean that is true unless the user asked to be kept signed in.
    package var isBrief: Bool
    /// The number of times all sessions of the user had been ended by then.
    package var epoch: Int64

    package init(user: UserRecordName, id: UInt64, signedIn: Timestamp, isBrief: Bool, epoch: Int64) {
        self.user = user
        self.id = id
        self.signedIn = signedIn
        self.isBrief = isBrief
        self.epoch = epoch
    }
}
