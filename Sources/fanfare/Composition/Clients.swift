import CloudCalls
import CloudModel
import JSON
import Operations
import Settings

/// Makes clients of a record-service for commands.
enum Clients {
    /// A client without a user.
    static func anonymous(_ configuration: Configuration) throws -> CloudService {
        guard !configuration.client.url.isEmpty, !configuration.apiToken.isEmpty else {
            throw SettingsError("--url and --api-token say where the record-service is and let you in")
        }
        return CloudService(
            url: configuration.client.url, scope: try configuration.target, apiToken: configuration.apiToken,
            transport: HTTPClientTransport())
    }

    /// A client of the user that `--user` or `--web-auth-token` names.
    static func signedIn(_ configuration: Configuration) async throws -> CloudService {
        if !configuration.client.webAuthToken.isEmpty {
            return CloudService(
                url: configuration.client.url, scope: try configuration.target, apiToken: configuration.apiToken,
                webAuthToken: configuration.client.webAuthToken, transport: HTTPClientTransport())
        }
        guard !configuration.client.user.isEmpty else { throw SettingsError("--user names the user to sign in") }
        return try await anonymous(configuration).signedIn(as: configuration.client.user).client
    }

    /// A client as `signedIn` gives it, with the record name of its user.
    static func user(_ configuration: Configuration) async throws -> (client: CloudService, user: String) {
        let client = try await signedIn(configuration)
        let caller = try await client.get("database", "public/users/caller")
        return (client, caller["userRecordName"]?.string ?? "")
    }

    /// The database that `--database` names.
    static func database(_ configuration: Configuration) throws -> DatabaseScope {
        guard let database = DatabaseScope(configuration.client.database) else {
            throw SettingsError("--database is public, private or shared")
        }
        return database
    }
}
