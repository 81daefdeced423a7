package import CloudModel
package import Identity
import JSON

/// The API tokens that the console's pages speak with, one for each container's environment. They are public, as every
/// API token of a web page, and good for pages of the console's origins alone.
package struct ConsoleTokens: Sendable {
    /// The file that has the tokens, of which stores have digests alone.
    private let file: KeptFile

    package init(_ file: KeptFile) { self.file = file }

    /// Returns the tokens for pages of these origins. One that was made for others is revoked.
    /// - Parameter origins: none means any origin.
    package func tokens(
        _ identities: [IdentityService], origins: [String]
    ) async throws -> [ContainerEnvironment: String] {
        let known = try file.load().flatMap { try? JSONValue(parsing: $0) }
        var result: [ContainerEnvironment: String] = [:]
        var saved: JSONObject = [:]
        for identity in identities {
            let row = known?["\(identity.scope)"]
            let token = try await token(row, identity, origins)
            result[identity.scope] = token
            saved["\(identity.scope)"] = ["apiToken": .string(token), "origins": .array(origins.map { .string($0) })]
        }
        if known != .object(saved) { try file.save(JSONValue.object(saved).serialized(pretty: true)) }
        return result
    }

    private func token(_ row: JSONValue?, _ identity: IdentityService, _ origins: [String]) async throws -> String {
        if let token = row?["apiToken"]?.string {
            if row?["origins"]?.array?.compactMap(\.string) == origins {
                // Missing where it was revoked, or where the store is another one.
                try await identity.addAPIToken(token, note: Self.note, origins: origins)
                return token
            }
            _ = try? await identity.revokeAPIToken(token)
        }
        return try await identity.makeAPIToken(note: Self.note, origins: origins)
    }

    private static let note = "of the console"
}
