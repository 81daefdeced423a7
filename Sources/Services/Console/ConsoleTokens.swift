package import CloudModel
package import Identity
import JSON

/// The API tokens that the console's pages speak with, one for each container's environment. They are public, as every
/// API token of a web page, and good for pages of the console's origins alone.
package struct ConsoleTokens: Sendable {
    /// The file that has the tokens, of which stores have digests alone.
    package struct Keeping: Sendable {
        let load: @Sendable () throws -> [UInt8]?
        let save: @Sendable ([UInt8]) throws -> Void

        /// - Parameters:
        ///   - load: returns what was saved last; nil for nothing.
        ///   - save: keeps the bytes, readable by their owner only.
        package init(
            load: @escaping @Sendable () throws -> [UInt8]?, save: @escaping @Sendable ([UInt8]) throws -> Void
        ) {
            self.load = load
            self.save = save
        }
    }

    private let keeping: Keeping

    package init(_ keeping: Keeping) { self.keeping = keeping }

    /// Returns the tokens for pages of these origins. One that was made for others is revoked.
    /// - Parameter origins: none means any origin.
    package func tokens(
        _ identities: [IdentityService], origins: [String]
    ) async throws -> [ContainerEnvironment: String] {
        let known = try keeping.load().flatMap { try? JSONValue(parsing: $0) }
        var result: [ContainerEnvironment: String] = [:]
        var saved: JSONObject = [:]
        for identity in identities {
            let row = known?["\(identity.scope)"]
            let token = try await token(row, identity, origins)
            result[identity.scope] = token
            saved["\(identity.scope)"] = ["apiToken": .string(token), "origins": .array(origins.map { .string($0) })]
        }
        if known != .object(saved) { try keeping.save(JSONValue.object(saved).serialized(pretty: true)) }
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
