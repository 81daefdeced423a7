package import CloudModel

/// All credentials of a container's environment at once: what requests are admitted by before their body is read.
package protocol CredentialReader {
    /// The digests of all API tokens, with the origins that each is limited to.
    func admittedAPITokens() throws -> [(digest: [UInt8], origins: [String])]

    /// The IDs of all server-to-server keys, with their users.
    func admittedServerKeys() throws -> [(id: String, user: UserRecordName)]
}
