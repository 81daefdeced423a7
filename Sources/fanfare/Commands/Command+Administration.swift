import CloudModel
import Cryptography
import FileSystem
import HTTPClient
import Identity
import JSON
import RecordService
import RecordStore
import Settings
import TextForms

extension Command {
    static let tokenCreate = Command(
        name: "token create",
        usage:
            "token create --data DIR [--container NAME] [--environment NAME] [--origin ORIGIN,…] [--callback ADDRESS,…]",
        summary: "makes an API token and prints it; only its digest is kept",
        settings: [.common, .containers, .store, .target, .creating]
    ) { reading in
        let configuration = reading.configuration
        let store = try Backends.store(configuration, try configuration.target, role: .visitor)
        let records = RecordService(layout: Backends.layout(configuration, try configuration.target), store: store)
        Output.line(
            try await ServedScope(records).identity.makeAPIToken(
                note: configuration.creating.note, origins: configuration.creating.origins,
                callbacks: configuration.creating.callbacks))
        await store.close()
        return ExitCode.done
    }

    static let keyCreate = Command(
        name: "key create", usage: "key create --data DIR [--container NAME] [--environment NAME] [--private-key FILE]",
        summary: "makes a server-to-server key, writes its private part to a file and prints its ID",
        settings: [.common, .containers, .store, .target, .creating]
    ) { reading in
        let configuration = reading.configuration
        let store = try Backends.store(configuration, try configuration.target, role: .visitor)
        let records = RecordService(layout: Backends.layout(configuration, try configuration.target), store: store)
        let (id, key) = try await ServedScope(records).identity.makeServerKey(note: configuration.creating.note)
        let path =
            configuration.creating.privateKeyFile.isEmpty ? "server-\(id).pem" : configuration.creating.privateKeyFile
        try Files.replace(path, with: Array(key.pem.utf8))
        Output.line("\(id) \(path)")
        await store.close()
        return ExitCode.done
    }

    static let secretsInit = Command(
        name: "secrets init", usage: "secrets init [--data DIR] [--token-key-file FILE]",
        summary: "makes the key ring of tokens, and an API token in DIR/api.token; those that exist stay as they are",
        settings: [.common, .store]
    ) { reading in
        let configuration = reading.configuration
        _ = try Backends.keys(configuration, mayMake: true)
        let path = "\(configuration.data)/api.token"
        if !Files.exists(path) {
            try Files.makeFolder(configuration.data)
            try Files.replace(path, with: Array((Hexadecimal.encode(SecureRandom.bytes(count: 32)) + "\n").utf8))
        }
        Output.line("the API token is in \(path)")
        return ExitCode.done
    }

    static let configuration = Command(
        name: "configuration", usage: "configuration [FLAGS] [--json]",
        summary: "every setting with its value and where that came from; secrets hidden",
        settings: [.common, .containers, .store, .log, .server, .quotas, .delivery, .marks, .markdown, .listing]
    ) { reading in
        if reading.configuration.printing.isMarkdown {
            Output.text(Configuration.services.markdown(defaults: Configuration()))
            return ExitCode.done
        }
        guard !reading.configuration.printing.isJSON else {
            for row in SettingRows.json(reading, reading.configuration) {
                Output.line(String(decoding: try row.serialized(), as: UTF8.self))
            }
            return ExitCode.done
        }
        let rows = Configuration.services.present(reading)
        let width = rows.map(\.name.count).max() ?? 0
        for row in rows {
            let padding = String(repeating: " ", count: width - row.name.count)
            Output.line("\(row.name)\(padding)  \(row.value.isEmpty ? "–" : row.value)  (\(row.source))")
        }
        return ExitCode.done
    }

    static let health = Command(
        name: "health", usage: "health [--internal-listen HOST:PORT]",
        summary: "asks a process's internal port whether it is ready; for container health checks",
        settings: [.common, .delivery]
    ) { reading in
        let address = reading.configuration.internalListen.exchanging("0.0.0.0:", for: "127.0.0.1:")
        let client = HTTPClient()
        var request = HTTPClientRequest("GET", "http://\(address)/health/ready")
        request.timeout = .seconds(5)
        if let token = InternalPort(reading.configuration).token {
            request.headers.append(("Authorization", "Bearer \(token)"))
        }
        let response = try await client.send(request)
        Output.line(String(decoding: response.body, as: UTF8.self).split(separator: "\n").joined())
        await client.close()
        return response.status == 200 ? ExitCode.done : ExitCode.failed
    }
}

extension Configuration {
    /// `token create` and `key create`.
    struct Creating: Sendable {
        var note = ""
        var origins: [String] = []
        var callbacks: [String] = []
        var privateKeyFile = ""
    }
}

extension SettingGroup {
    static let creationSettings: [Setting<Configuration>] = [
        Setting("note", \.creating.note, "what the token or key is for; for people"),
        Setting(
            "origin", \.creating.origins, "where web pages may use the token, several by commas; anywhere when absent"
        ) {
            origins in invalid(origins, APIToken.origin)
        },
        Setting(
            "callback", \.creating.callbacks,
            "addresses that a sign-in may hand a session to, whole, several by commas; pages of their origins may use the token, too"
        ) { callbacks in invalid(callbacks, APIToken.callback) },
        Setting(
            "private-key", \.creating.privateKeyFile,
            "the file that a key's private part is written to; server-KEYID.pem when absent"),
    ]

    /// The reason why a text is not what it has to be; nil if all are.
    private static func invalid(_ texts: [String], _ read: (String) throws(CloudError) -> String) -> String? {
        for text in texts {
            do throws(CloudError) {
                _ = try read(text)
            } catch {
                return "names an invalid one: \(error.reason)"
            }
        }
        return nil
    }

    static let markdownSettings: [Setting<Configuration>] = [
        Setting("markdown", \.printing.isMarkdown, "the settings as a Markdown list, for the documentation")
    ]
}
