import CloudModel
package import JSON
package import RecordStore

/// API tokens and server-to-server keys as operators see them.
package enum CredentialReport {
    /// A credential.
    /// - Parameter id: the name of its identifier: `digest` or `keyID`.
    package static func json(_ credential: ListedCredential, _ id: String) -> JSONObject {
        var json: JSONObject = [
            id: .string(credential.id), "note": .string(credential.note),
            "created": .integer(credential.created.milliseconds),
        ]
        if !credential.origins.isEmpty { json["origins"] = .array(credential.origins.map { .string($0) }) }
        return json
    }
}
