import FileSystem
import HTTPClient
import JSON
import Settings
import Waiting

extension Command {
    static let console = Command(
        name: "console",
        usage: "console [--data DIR] [--url URL --operator-token-file FILE] [--json]",
        summary:
            "prints an address of the console with a code that begins an operator's session: good once, for ten minutes",
        settings: [.common, .store, .openingConsole, .listing]
    ) { reading in
        var configuration = reading.configuration
        if configuration.client.url.isEmpty {
            let file = "\(configuration.data)/dev.json"
            guard Files.exists(file) else {
                throw SettingsError(
                    "there is no \(file): give the service's address with --url and --operator-token-file")
            }
            let dev = try JSONValue(parsing: Files.read(file))
            configuration.client.url = dev["consoleURL"]?.string ?? ""
            guard !configuration.client.url.isEmpty else {
                Output.error("this 'fanfare dev' has no console; the setting 'console' turns it on")
                return ExitCode.failed
            }
            if configuration.console.operatorTokenFile.isEmpty {
                configuration.console.operatorTokenFile = dev["operatorTokenFile"]?.string ?? ""
            }
        }
        guard !configuration.console.operatorTokenFile.isEmpty else {
            throw SettingsError("--operator-token-file names the file with the token that the service knows")
        }
        return try await open(configuration)
    }

    private static func open(_ configuration: Configuration) async throws -> Int32 {
        let text = String(decoding: try Files.read(configuration.console.operatorTokenFile), as: UTF8.self)
        let token = text.split(whereSeparator: \.isNewline).first.map(String.init) ?? ""
        let url = configuration.client.url
        let client = HTTPClient()
        let request = HTTPClientRequest(
            "POST", "\(url)/operator/1/codes",
            headers: [("Authorization", "Bearer \(token)"), ("X-Fanfare-Console", "1")], body: .bytes(Array("{}".utf8)))
        let response = try await Task.closing({ await client.close() }) { try await client.send(request) }
        let answer = (try? JSONValue(parsing: response.body)) ?? .null
        guard response.status == 200, let code = answer["code"]?.string else {
            Output.error(answer["reason"]?.string ?? "\(url) answers \(response.status)")
            return ExitCode.failed
        }
        let address = "\(url)/console/#code=\(code)"
        let json: JSONValue = ["address": .string(address), "minutes": answer["minutes"] ?? .null]
        Output.line(
            configuration.printing.isJSON ? String(decoding: try json.serialized(), as: UTF8.self) : address)
        return ExitCode.done
    }
}

extension SettingGroup {
    static let consoleOpeningSettings: [Setting<Configuration>] = [
        Setting("url", \.client.url, "the address of the service with the console; that of dev.json when absent"),
        Setting(
            "operator-token-file", \.console.operatorTokenFile,
            "the file with the operator's token; that of dev.json when absent"),
    ]
}
