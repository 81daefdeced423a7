import CloudModel
import Console
import Cryptography
import Identity
import JSON
import RecordStore
import Settings

/// Lists what requests are let in by, and takes it back, beside the running service.
extension Command {
    static let tokenList = list(
        "token list", summary: "lists API tokens by their digests, a line each", id: "digest"
    ) { try await $0.identity.listAPITokens() }

    static let tokenRevoke = revoke(
        "token revoke", "TOKEN",
        summary: "takes an API token back, by itself or by its digest; the running service refuses it within a second",
        operand: "one API token, or its digest as token list shows it", id: "digest"
    ) { try await $0.identity.revokeAPIToken($1) }

    static let keyList = list(
        "key list", summary: "lists server-to-server keys, a line each", id: "keyID"
    ) { try await $0.identity.listServerKeys() }

    static let keyRevoke = revoke(
        "key revoke", "KEYID",
        summary: "takes a server-to-server key back; the running service refuses it within a second",
        operand: "one key ID, as key list shows it", id: "keyID"
    ) { served, id in
        try await served.identity.revokeServerKey(id)
        return id
    }

    static let secretsList = Command(
        name: "secrets list", usage: "secrets list [--data DIR] [--token-key-file FILE] [--json]",
        summary: "names the keys that tokens are sealed with; the current one seals, all open",
        settings: [.common, .store, .listing]
    ) { reading in
        let list = try SecretsFile(Backends.keyFile(reading.configuration)).list()
        let isJSON = reading.configuration.printing.isJSON
        for key in list["secrets"]?.array ?? [] {
            let isCurrent = key["isCurrent"] == true
            Output.line(
                isJSON
                    ? String(decoding: try key.serialized(), as: UTF8.self)
                    : (key["name"]?.string ?? "") + (isCurrent ? "  current" : ""))
        }
        let former = list["formerIdentifierKeys"]?.integer ?? 0
        if former > 0, !isJSON {
            Output.line("former identifier keys: \(former); 'fanfare secrets reseal' makes them needless")
        }
        return ExitCode.done
    }

    static let secretsRotate = Command(
        name: "secrets rotate",
        usage: "secrets rotate [--identifier-key] [--data DIR] [--token-key-file FILE] [--json]",
        summary:
            "makes a new key that seals from now on, for tokens, or with --identifier-key for identifiers and encrypted fields; what the others sealed stays good until they are removed",
        settings: [.common, .store, .listing, .rotating]
    ) { reading in
        try changeSecrets(reading) { file in
            let isOfIdentifiers = reading.configuration.rotating.isOfIdentifiers
            let list = try file.rotate(ofIdentifiers: isOfIdentifiers)
            guard !isOfIdentifiers else {
                let count = list["formerIdentifierKeys"]?.integer ?? 0
                return ("formerIdentifierKeys", ["formerIdentifierKeys": .string("\(count)")])
            }
            let current = list["secrets"]?.array?.first { $0["isCurrent"] == true }
            return ("current", ["name": current?["name"] ?? .null])
        }
    }

    static let secretsRemove = Command(
        name: "secrets remove", usage: "secrets remove NAME [--data DIR] [--token-key-file FILE] [--json]",
        summary: "removes a key: sign-ins, change tokens and addresses that it sealed end within a second",
        settings: [.common, .store, .listing], takesWords: true
    ) { reading in
        let name = try StoreCommand.operand(reading, "the name of one key, as secrets list shows it")
        return try changeSecrets(reading) { file in
            _ = try file.remove(name)
            return ("removed", ["name": .string(name)])
        }
    }

    /// Changes the key ring, and prints the outcome.
    private static func changeSecrets(
        _ reading: SettingsTable<Configuration>.Reading,
        _ body: (SecretsFile) throws -> (what: String, json: JSONObject)
    ) throws -> Int32 {
        do {
            let outcome = try body(SecretsFile(Backends.keyFile(reading.configuration)))
            try done(outcome.what, outcome.json, isJSON: reading.configuration.printing.isJSON)
            return ExitCode.done
        } catch let error as CloudError {
            Output.error(error.reason)
            return ExitCode.failed
        }
    }

    /// A command that lists credentials of one kind. `id` names their identifier in JSON.
    private static func list(
        _ name: String, summary: String, id: String,
        _ credentials: @escaping @Sendable (ServedScope) async throws -> [ListedCredential]
    ) -> Command {
        Command(
            name: name, usage: "\(name) --data DIR [--container NAME] [--environment NAME] [--json]", summary: summary,
            settings: administrating
        ) { reading in
            try await StoreCommand.run(reading) { served in
                for credential in try await credentials(served) {
                    Output.line(try line(credential, id, isJSON: reading.configuration.printing.isJSON))
                }
                return ExitCode.done
            }
        }
    }

    /// A command that revokes the credential that its operand names. `take` returns the identifier.
    private static func revoke(
        _ name: String, _ placeholder: String, summary: String, operand: String, id: String,
        _ take: @escaping @Sendable (ServedScope, String) async throws -> String
    ) -> Command {
        Command(
            name: name,
            usage: "\(name) \(placeholder) --data DIR [--container NAME] [--environment NAME] [--json]",
            summary: summary, settings: administrating, takesWords: true
        ) { reading in
            let given = try StoreCommand.operand(reading, operand)
            return try await StoreCommand.run(reading) { served in
                let revoked = try await take(served, given)
                try done("revoked", [id: .string(revoked)], isJSON: reading.configuration.printing.isJSON)
                return ExitCode.done
            }
        }
    }

    private static func line(_ credential: ListedCredential, _ id: String, isJSON: Bool) throws -> String {
        guard isJSON else {
            let words = [credential.id, credential.note] + credential.origins
            return words.filter { !$0.isEmpty }.joined(separator: "  ")
        }
        return String(decoding: try JSONValue.object(CredentialReport.json(credential, id)).serialized(), as: UTF8.self)
    }

    private static func done(_ what: String, _ json: JSONObject, isJSON: Bool) throws {
        let words = json.compactMap { $0.value.string }.joined(separator: " ")
        Output.line(
            isJSON ? String(decoding: try JSONValue.object(json).serialized(), as: UTF8.self) : "\(what) \(words)")
    }
}
