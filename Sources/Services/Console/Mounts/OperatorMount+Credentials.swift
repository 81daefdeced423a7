import CloudJSON
import CloudModel
import Cryptography
import Identity
import JSON

extension OperatorMount {
    static let credentials: [OperatorEndpoint] = [
        OperatorEndpoint("tokens/list", .reads) { call in
            let tokens = try await call.identity.listAPITokens()
            return ["tokens": .array(tokens.map { .object(CredentialReport.json($0, "digest")) })]
        },
        OperatorEndpoint("tokens/create", .changes) { call in
            let token = try await call.identity.makeAPIToken(
                note: try call.text("note"), origins: try call.texts("origins"),
                callbacks: try call.texts("callbacks"))
            return ["apiToken": .string(token), "digest": .string(IdentityService.digest(ofAPIToken: token))]
        },
        // By its digest alone: a token would be on record.
        OperatorEndpoint("tokens/revoke", .changes, recorded: ["digest"]) { call in
            let digest = try call.body.required("digest").string()
            return ["digest": .string(try await call.identity.revokeAPIToken(digest)), "done": "revoke"]
        },
        OperatorEndpoint("keys/list", .reads) { call in
            let keys = try await call.identity.listServerKeys()
            return ["keys": .array(keys.map { .object(CredentialReport.json($0, "keyID")) })]
        },
        // A user is made in a transaction of its own.
        OperatorEndpoint("keys/create", .changesInSteps) { call in
            let (id, key) = try await call.identity.makeServerKey(note: try call.text("note"))
            return ["keyID": .string(id), "privateKey": .string(key.pem)]
        },
        OperatorEndpoint("keys/revoke", .changes) { call in
            let id = try call.body.required("keyID").string()
            try await call.identity.revokeServerKey(id)
            return ["keyID": .string(id), "done": "revoke"]
        },
    ]
}

extension OperatorCall {
    /// The texts of a list; none when it is absent.
    fileprivate func texts(_ key: String) throws(CloudError) -> [String] {
        try body[key]?.elements { element throws(CloudError) in try element.string() } ?? []
    }
}
