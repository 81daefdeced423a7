import CloudModel
import RecordStore

/// An address belongs to the user who proved it last. Invitations to it stay with the earlier user: a new holder takes
/// over nothing that was meant for the former one.
extension IdentityService {
    /// Returns true if an identity's address is the user's: by a name alone nobody takes one that a provider verified
    /// for another user.
    static func isProved(
        _ address: EmailAddress, by identity: UserIdentity, _ reader: any StoreReader
    ) throws -> Bool {
        guard identity.isOfName else { return true }
        return try reader.profiles(withEmail: address.key).allSatisfy {
            try reader.identity(of: $0.name)?.isOfName != false
        }
    }

    /// Takes an address from those who had it, as somebody proves it now.
    /// - Parameter prover: nil for a user who is new.
    static func takeAddress(
        _ address: EmailAddress, from prover: UserRecordName?, _ transaction: any StoreTransaction
    ) throws {
        for former in try transaction.profiles(withEmail: address.key) where former.name != prover {
            try keepInvitations(to: address, for: former.name, transaction)
            var profile = former
            profile.email = nil
            try transaction.setProfile(profile)
        }
    }

    /// A user with a new address keeps the invitations to the old one.
    static func dropAddress(
        of user: UserRecordName, unless address: EmailAddress?, _ transaction: any StoreTransaction
    ) throws {
        guard let old = try transaction.profile(of: user)?.email.map(EmailAddress.init(trusted:)), old != address
        else { return }
        try keepInvitations(to: old, for: user, transaction)
    }

    private static func keepInvitations(
        to address: EmailAddress, for user: UserRecordName, _ transaction: any StoreTransaction
    ) throws {
        guard let invited = try transaction.user(.invited(address.key)) else { return }
        try transaction.holdInvitations(to: invited, for: user)
    }
}
