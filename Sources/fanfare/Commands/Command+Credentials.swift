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
        let ring = try KeyRing.load(file: Backends.keyFile(reading.configuration))
        for name in ring.names {
            let isCurrent = name == ring.currentName
            let json: JSONValue = ["name": .string(name), "isCurrent": .bool(isCurrent)]
            Output.line(
                reading.configuration.printing.isJSON
                    ? String(decoding: try json.serialized(), as: UTF8.self) : name + (isCurrent ? "  current" : ""))
        }
        let former = ring.identifierKeys.count - 1
        if former > 0, !reading.configuration.printing.isJSON {
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
        let path = Backends.keyFile(reading.configuration)
        var ring = try KeyRing.load(file: path)
        let isJSON = reading.configuration.printing.isJSON
        guard !reading.configuration.rotating.isOfIdentifiers else {
            ring.rotateIdentifierKey()
            try ring.save(file: path)
            let count = ring.identifierKeys.count - 1
            try done(
                "formerIdentifierKeys", ["formerIdentifierKeys": .string("\(count)")], isJSON: isJSON)
            return ExitCode.done
        }
        ring.rotate()
        try ring.save(file: path)
        try done("current", ["name": .string(ring.currentName)], isJSON: isJSON)
        return ExitCode.done
    }

    static let secretsRemove = Command(
        name: "secrets remove", usage: "secrets remove NAME [--data DIR] [--token-key-file FILE] [--json]",
        summary: "removes a key: sign-ins, change tokens and addresses that it sealed end within a second",
        settings: [.common, .store, .listing], takesWords: true
    ) { reading in
        let name = try StoreCommand.operand(reading, "the name of one key, as secrets list shows it")
        let path = Backends.keyFile(reading.configuration)
        var ring = try KeyRing.load(file: path)
        guard ring.remove(name) else {
            Output.error(
                name == ring.currentName
                    ? "the key '\(name)' is the current one; rotate first"
                    : "there is no key '\(name)'; fanfare secrets list shows those there are")
            return ExitCode.failed
        }
        try ring.save(file: path)
        try done("removed", ["name": .string(name)], isJSON: reading.configuration.printing.isJSON)
        return ExitCode.done
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
