import CloudModel
import FileSystem
import Foundation
import Push
import Settings
import TestSupport
import Testing

@testable import fanfare

@Suite("Reading of settings") struct ConfigurationReadingTests {
    private let folder = TemporaryFolder()

    private func file(_ name: String, _ text: String) throws -> String {
        try Data(text.utf8).write(to: folder.url.appendingPathComponent(name))
        return folder.path(name)
    }

    private func read(
        _ arguments: [String] = [], _ command: Command = .recordService, _ environment: [String: String] = [:]
    ) throws -> Configuration {
        try Configuration.read(arguments, for: command, environment: environment).configuration
    }

    @Test("--apply says the same of an import, into the environment that is named, as of a promotion")
    func helpOfApply() {
        for command in [Command.schemaImport, .schemaPromote] {
            let line = Help.text(of: command).split(separator: "\n").first { $0.hasPrefix("  --apply ") }
            #expect(
                line?.contains("make the change") == true && line?.contains("production") == false, "\(command.name)")
        }
    }

    @Test("a command takes words beside its flags if its usage has any, and no other does", arguments: Command.all)
    func words(command: Command) throws {
        let place = command.usage.dropFirst(command.name.count).split(separator: " ").first ?? ""
        let hasWord = place.first?.isUppercase == true || place.hasPrefix("[") && place.dropFirst().first != "-"
        #expect(command.takesWords == (hasWord && place != "[FLAGS]"), "\(command.usage)")
        guard !command.takesWords else {
            #expect(try Configuration.read(["a"], for: command, environment: [:]).operands == ["a"])
            return
        }
        for arguments in [["stray"], ["--config=", "stray"], ["--", "stray"]] {
            let failure = #expect(throws: SettingsError.self) {
                try Configuration.read(arguments, for: command, environment: [:])
            }
            #expect(failure?.description.contains("'stray'") == true)
        }
    }

    @Test("a switch with a word after it is refused, by the name of the setting", arguments: [Command.dev, .pushTest])
    func switches(command: Command) throws {
        let failure = #expect(throws: SettingsError.self) { try read(["--push-loopback", "false"], command) }
        #expect(failure?.description.contains("--push-loopback=false") == true)
        #expect(try !read(["--push-loopback=false"], command).push.allowsLoopback)
    }

    @Test("without further settings fanfare dev sends to webhooks on this machine, and to nothing else")
    func reachesNothing() async throws {
        var configuration = try read([], .dev)
        configuration.push.allowsLoopback = true
        let providers = try PushProviders(configuration)
        #expect(Set(providers.providers.values.flatMap { $0.map(\.kind) }) == [.webhook])
        await providers.close()
        #expect(configuration.push.refusal(.webhook, "http://127.0.0.1:9/") == nil)
        for url in ["https://example.com/", "http://example.com/", "https://192.0.2.1/"] {
            #expect(configuration.push.refusal(.webhook, url) != nil)
        }
        #expect(configuration.tracing.endpoint.isEmpty && configuration.signIn.oidcIssuer.isEmpty)
    }

    @Test("flags win over the environment, the environment over the file, the file over defaults")
    func order() throws {
        let path = try file("a.json", #"{"listen": "0.0.0.0:1", "partitions": 2, "data": "kept"}"#)
        let configuration = try read(
            ["--config", path, "--listen", "0.0.0.0:3"], .recordService,
            ["FANFARE_LISTEN": "0.0.0.0:2", "FANFARE_PARTITIONS": "5"])
        #expect(configuration.server.listen == "0.0.0.0:3")
        #expect(configuration.partitions == 5)
        #expect(configuration.data == "kept")
        #expect(configuration.signIn.webAuthTokenHours == Configuration().signIn.webAuthTokenHours)
    }

    @Test("a file may hold settings of other services, and nothing unknown")
    func sharedFile() throws {
        let shared = try file("shared.json", #"{"listen": "0.0.0.0:1", "stages": ["match"], "partitions": 2}"#)
        let configuration = try read(["--config", shared], .subscriptionMatcher)
        #expect(configuration.stages == ["match"])
        #expect(configuration.partitions == 2)
        #expect(configuration.server.listen == Configuration().server.listen)
        let unknown = try file("unknown.json", #"{"lisen": "0.0.0.0:1"}"#)
        #expect(throws: SettingsError.self) { try read(["--config", unknown]) }
    }

    @Test(
        "a file that is no object of plain values is refused",
        arguments: ["[]", "{", #"{"data": {}}"#, #"{"data": null}"#, #"{"containers": [1]}"#])
    func malformedFile(text: String) throws {
        let path = try file("malformed.json", text)
        #expect(throws: SettingsError.self) { try read(["--config", path]) }
    }

    @Test("a property of librdkafka may come from a file, and the variable itself wins over it")
    func kafkaPasswords() throws {
        let path = try file("password", "secret\nnot this\n")
        let prefix = "FANFARE_KAFKA_PROPERTY_"
        let environment = ["\(prefix)SASL_PASSWORD_FILE": path, "\(prefix)SASL_USERNAME": "fanfare"]
        let configuration = try read([], .recordService, environment)
        #expect(configuration.kafkaProperties == ["sasl.password": "secret", "sasl.username": "fanfare"])
        let both = environment.merging(["\(prefix)SASL_PASSWORD": "other"]) { $1 }
        #expect(try read([], .recordService, both).kafkaProperties["sasl.password"] == "other")
        #expect(throws: FileError.self) {
            try read([], .recordService, ["\(prefix)SASL_PASSWORD_FILE": "/nowhere"])
        }
    }

    @Test("a secret may come from the first line of a file that the environment names")
    func secretFiles() throws {
        let token = String(repeating: "ab", count: 32)
        let path = try file("secret", token + "\nnot this\n")
        let configuration = try read([], .recordService, ["FANFARE_API_TOKEN_FILE": path])
        #expect(configuration.apiToken == token)
        let other = String(repeating: "cd", count: 32)
        let both = ["FANFARE_API_TOKEN_FILE": path, "FANFARE_API_TOKEN": other]
        #expect(try read([], .recordService, both).apiToken == other)
        #expect(throws: FileError.self) {
            try read([], .recordService, ["FANFARE_API_TOKEN_FILE": folder.path("absent")])
        }
    }

    @Test("every command warns of each secret flag, and names its variable and its file")
    func secretFlags() throws {
        let token = String(repeating: "ab", count: 32)
        let path = try file("token", token + "\n")
        for command in Command.all {
            for setting in Configuration.table(for: command).settings where setting.isSecret {
                let reading = try Configuration.read(["--\(setting.name)", token], for: command, environment: [:])
                let variable = "FANFARE_" + setting.name.uppercased().replacing("-", with: "_")
                #expect(reading.warnings.count == 1, "\(command.name)")
                #expect(
                    reading.warnings[0].contains("\(variable),") && reading.warnings[0].contains("\(variable)_FILE"))
                #expect(!reading.warnings[0].contains(token))
                let quiet = try Configuration.read(["--\(setting.name)-file", path], for: command, environment: [:])
                #expect(quiet.warnings.isEmpty && setting.show(quiet.configuration) == token)
            }
        }
    }

    @Test("no flag that carries a secret is forgotten")
    func secretNames() {
        let open = Command.all.flatMap { Configuration.table(for: $0).settings }.filter { setting in
            !setting.isSecret && setting.name.contains(/(?:secret|token|password|credential)$/)
        }
        #expect(open.map(\.name) == [])
    }

    @Test("properties of librdkafka come from the environment by their names")
    func kafkaProperties() throws {
        let configuration = try read([], .recordService, ["FANFARE_KAFKA_PROPERTY_SECURITY_PROTOCOL": "ssl"])
        #expect(configuration.kafkaProperties == ["security.protocol": "ssl"])
    }

    @Test("flags of one command are unknown to others")
    func foreignFlags() throws {
        #expect(try read(["--right", "READ"], .schemaGrant).granting.right == "READ")
        #expect(throws: SettingsError.self) { try read(["--right", "READ"], .recordService) }
    }

    @Test("a command's target is the first container unless another is named")
    func target() throws {
        let two = ["--containers", "iCloud.a,iCloud.b"]
        #expect(try read(two, .schemaExport).target.container.rawValue == "iCloud.a")
        let named = try read(two + ["--container", "iCloud.b", "--environment", "production"], .schemaExport).target
        #expect(named.container.rawValue == "iCloud.b")
        #expect(named.environment == .production)
        #expect(throws: SettingsError.self) { try read(["--container", "no name"], .schemaExport).target }
        #expect(throws: SettingsError.self) { try read(["--environment", "staging"], .schemaExport) }
    }

    @Test("no two settings of a command share a name, and every command is found by its own")
    func commands() throws {
        for command in Command.all {
            let names = Configuration.table(for: command).settings.map(\.name)
            #expect(Set(names).count == names.count)
            let words = command.name.split(separator: " ").map(String.init)
            #expect(Command.find(words + ["x"])?.0.name == command.name)
        }
    }

    @Test("the key of APNs is for every scope, and a table replaces it for its own")
    func credentials() throws {
        let table = try file(
            "apns.json",
            """
            {"iCloud.b": {"production": {"certificateFile": "b.pem", "topic": "com.b"}},
             "iCloud.c": {"development": {"keyFile": "c.p8", "keyID": "CCCCCCCCCC", "teamID": "TEAMTEAM00"}}}
            """)
        let configuration = try read(
            [
                "--containers", "iCloud.a,iCloud.b", "--apns-key-file", "a.p8", "--apns-key-id", "AAAAAAAAAA",
                "--apns-team-id", "TEAMTEAM00", "--apns-topic", "com.a", "--apns-table", table,
            ], .pushSender)
        let all = try APNSCredentials.all(configuration)
        func scope(_ name: String, _ environment: CloudEnvironment) -> ContainerEnvironment {
            ContainerEnvironment(container: ContainerIdentifier(trusted: name), environment: environment)
        }
        let own = APNSCredentials(proof: .key(file: "a.p8", id: "AAAAAAAAAA", team: "TEAMTEAM00"), topic: "com.a")
        #expect(all[scope("iCloud.a", .production)] == own && all[scope("iCloud.b", .development)] == own)
        #expect(
            all[scope("iCloud.b", .production)]
                == APNSCredentials(proof: .certificate(file: "b.pem", keyFile: nil), topic: "com.b"))
        #expect(all[scope("iCloud.c", .development)]?.topic == nil)
    }

    @Test(
        "a table of APNs that is wrong is refused with its file and the reason",
        arguments: [
            ("[]", "object of containers"), ("{\"iCloud.a\": {\"test\": {}}}", "development and production"),
            ("{\"iCloud.a\": {\"production\": {\"keyFile\": \"a\"}}}", "needs keyFile, keyID and teamID"),
            ("{\"iCloud.a\": {\"production\": {\"key\": \"a\"}}}", "'key'"),
            ("{\"a b\": {\"production\": {\"certificateFile\": \"a\"}}}", "container"), ("{", "JSON"),
        ])
    func wrongTable(text: String, reason: String) throws {
        let path = try file("apns.json", text)
        do {
            _ = try APNSCredentials.table(path)
            Issue.record("it was taken")
        } catch let error as SettingsError {
            #expect("\(error)".contains(path) && "\(error)".contains(reason), "\(error)")
        }
    }

    @Test("parts of a key of APNs are refused, and so are hosts that are none")
    func wrongPushSettings() throws {
        #expect(throws: SettingsError.self) {
            try APNSCredentials.all(read(["--apns-key-file", "a.p8"], .pushSender))
        }
        for arguments in [
            ["--apns-key-id", "short"], ["--apns-production-url", "http://a"], ["--apns-production-url", "https://a/"],
            ["--web-push-hosts", "https://a.b"], ["--web-push-hosts", "A.b"], ["--webhook-hosts", "a"],
            ["--push-ports", "0"], ["--push-ports", "https"],
        ] {
            #expect(throws: SettingsError.self, "\(arguments)") { try read(arguments, .pushSender) }
        }
        #expect(throws: SettingsError.self) { try read(["--vapid-subject", "mailto:a@localhost"], .dev).push.subject }
    }
}
