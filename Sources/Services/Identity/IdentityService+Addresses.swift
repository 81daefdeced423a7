import CloudModel
import RecordStore

/// An address belongs to who proved it last. Invitations to it stay with who had it when somebody else proves it: a new
/// holder takes over nothing that was meant for the former one.
extension IdentityService {
    /// Takes an address from those who had it, as somebody proves it now.
    /// - Parameter prover: nil for a user who is new.
    static func takeAddress(
        _ address: String, from prover: UserRecordName?, _ transaction: any StoreTransaction
    ) throws {
        for former in try transaction.profiles(withEmail: address) where former.name != prover {
            try keepInvitations(to: address, for: former.name, transaction)
            var profile = former
            profile.email = nil
            try transaction.setProfile(profile)
        }
    }

    /// A user whose address is another one from now on keeps what came under the old one.
    static func dropAddress(
        of user: UserRecordName, unless address: String?, _ transaction: any StoreTransaction
    ) throws {
        guard let old = try transaction.profile(of: user)?.email, old != address else { return }
        try keepInvitations(to: old, for: user, transaction)
    }

    private static func keepInvitations(
        to address: String, for user: UserRecordName, _ transaction: any StoreTransaction
    ) throws {
        guard let invited = try transaction.user(.invited(address)) else { return }
        try transaction.holdInvitations(to: invited, for: user)
    }
}
