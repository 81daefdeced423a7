package import CloudModel
package import RecordStore

extension IdentityService {
    /// Users after a name, by name: invitations and removed users left out.
    package func listUsers(after name: String, limit: Int) async throws -> [ListedUser] {
        try await store.read { try $0.users(after: name, limit: limit) }
    }

    /// The users that an operator means: by record name, by verified address, or by the name at the issuer.
    package func users(named text: String) async throws -> [UserRecordName] {
        try await store.read { reader in
            let name = UserRecordName(trusted: text)
            if try reader.account(of: name) != nil { return [name] }
            let addressed = try reader.profiles(withEmail: EmailAddress(trusted: text).key).map(\.name)
            guard addressed.isEmpty else { return addressed }
            return try reader.user(.development(text)).map { [$0] } ?? []
        }
    }

    /// Ends all sessions of a user and removes the identity; the record name leads to nobody from then on. The first
    /// step of a removal: `RecordService.removeAll(of:)` is the second.
    /// - Throws: `NOT_FOUND` if there is no such user.
    package func removeUser(_ user: UserRecordName) async throws {
        let time = now()
        try await takeBack(from: user) { [self] transaction in
            guard try transaction.account(of: user) != nil else {
                throw CloudError(.notFound, "there is no user '\(user)'; fanfare users list shows those there are")
            }
            try Self.dropAddress(of: user, unless: nil, transaction)
            try endSessions(of: user, by: .signOut, at: time, transaction)
            try transaction.removeIdentity(of: user)
        }
    }
}
