import Settings
import Testing

@Suite struct SettingsTableTests {
    struct Example: Sendable, Equatable {
        var port = 8080
        var name = "x"
        var isVerbose = false
        var secret = ""
        var hosts: [String] = []
    }

    let table = SettingsTable<Example>(
        environmentPrefix: "APP_",
        [
            Setting("port", \.port, in: 0...65535, "the port"),
            Setting("server-name", \.name, "the name", environment: ["NAME"]),
            Setting("verbose", \.isVerbose, "talk"),
            Setting("secret", \.secret, "the secret", secret: true),
            Setting("hosts", \.hosts, "the hosts"),
        ])

    @Test func flagsWinOverEnvironmentOverFileOverDefaults() throws {
        let file = (path: "/f.json", values: ["port": "1", "server-name": "file", "verbose": "yes"])
        let reading = try table.read(
            Example(), arguments: ["--port=3"], environment: ["APP_PORT": "2", "APP_SERVER_NAME": "environment"],
            file: file)
        #expect(reading.configuration == Example(port: 3, name: "environment", isVerbose: true))
        #expect(reading.sources["port"] == .flag)
        #expect(reading.sources["server-name"] == .environment("APP_SERVER_NAME"))
        #expect(reading.sources["verbose"] == .file("/f.json"))
        #expect(reading.sources["secret"] == nil)
    }

    @Test func flagsMayStandBetweenOperands() throws {
        let reading = try table.read(
            Example(), arguments: ["a", "--verbose", "b", "--server-name", "n", "--", "--port"], environment: [:])
        #expect(reading.operands == ["a", "b", "--port"])
        #expect(reading.configuration == Example(name: "n", isVerbose: true))
    }

    @Test(arguments: [
        (["--nope"], "unknown flag '--nope'"),
        (["--port"], "--port needs a whole number"),
        (["--port", "x"], "the setting 'port' (flag) is a whole number, not 'x'"),
        (["--port", "70000"], "must lie between 0 and 65535"),
        (["--verbose=maybe"], "true or false"),
    ])
    func unusableSettingsAreNamed(arguments: [String], message: String) {
        let failure = #expect(throws: SettingsError.self) {
            try table.read(Example(), arguments: arguments, environment: [:])
        }
        #expect(failure?.description.contains(message) == true, "\(String(describing: failure))")
    }

    @Test(
        "a value after a switch, which would leave it on, is refused and shown where it belongs",
        arguments: ["false", "true", "no", "OFF", "0"])
    func switchesTakeNoWord(word: String) throws {
        for arguments in [["--verbose", word], ["a", "--port", "1", "--verbose", word, "b"]] {
            let failure = #expect(throws: SettingsError.self) {
                try table.read(Example(), arguments: arguments, environment: [:])
            }
            #expect(failure?.description.contains("--verbose=\(word)") == true, "\(String(describing: failure))")
        }
        // Where no switch is before it, or has its value, the word is an operand.
        for arguments in [
            ["--verbose=true", word], ["--verbose", "--", word], ["--verbose", "a", word],
            ["--verbose", "--port", "1", word],
            ["--server-name", "x", word],
        ] {
            let reading = try table.read(Example(), arguments: arguments, environment: [:])
            #expect(reading.operands.last == word, "\(arguments)")
        }
    }

    /// Files of secrets by their paths.
    private static let secrets = ["/s": "from a file", "/other": "from another", "/empty": ""]

    private func read(
        _ arguments: [String] = [], _ environment: [String: String] = [:], file: [String: String]? = nil
    ) throws -> SettingsTable<Example>.Reading {
        try table.read(
            Example(), arguments: arguments, environment: environment, file: file.map { (path: "/f", values: $0) }
        ) { path in
            guard let text = Self.secrets[path] else { throw SettingsError("there is no \(path)") }
            return text
        }
    }

    @Test("a secret comes from a file that a flag, a variable or a key names, in their order")
    func secretFiles() throws {
        #expect(try read(["--secret-file", "/s"]).configuration.secret == "from a file")
        #expect(try read(["--secret-file=/s"]).sources["secret"] == .flag)
        #expect(try read([], ["APP_SECRET_FILE": "/s"]).configuration.secret == "from a file")
        #expect(try read([], [:], file: ["secret-file": "/s"]).configuration.secret == "from a file")
        #expect(try read([], [:], file: ["secret-file": "/nowhere", "secret": "own"]).configuration.secret == "own")
        #expect(try read([], ["APP_SECRET_FILE": "/nowhere", "APP_SECRET": "own"]).configuration.secret == "own")
        let all = try read(["--secret-file", "/other"], ["APP_SECRET": "v"], file: ["secret": "k"])
        #expect(all.configuration.secret == "from another" && all.warnings.isEmpty)
        #expect(try read(["--secret-file", "/s", "--secret", "last"]).configuration.secret == "last")
        for arguments in [["--secret-file", "/empty"], ["--secret-file", "/nowhere"], ["--secret-file"]] {
            #expect(throws: SettingsError.self) { try read(arguments) }
        }
        // Settings that are no secrets have no such name.
        #expect(throws: SettingsError.self) { try read(["--port-file", "/s"]) }
        #expect(throws: SettingsError.self) { try read([], [:], file: ["server-name-file": "/s"]) }
    }

    @Test("a secret that is an argument makes one warning with the ways around it, and its value is in no text")
    func warnings() throws {
        for arguments in [["--secret", "hush"], ["--secret=hush"], ["--secret", "a", "--secret=hush", "--verbose"]] {
            let warnings = try read(arguments).warnings
            #expect(warnings.count == 1, "\(warnings)")
            for part in ["--secret ", "APP_SECRET,", "--secret-file", "APP_SECRET_FILE"] {
                #expect(warnings[0].contains(part), "\(warnings[0])")
            }
            #expect(!warnings[0].contains("hush"))
        }
        #expect(try read(["--port", "1"], ["APP_SECRET": "v"], file: ["secret": "k"]).warnings.isEmpty)
        let failure = #expect(throws: SettingsError.self) { try read(["--sekret=hush"]) }
        #expect(failure?.description.contains("hush") == false)
    }

    @Test func anUnknownKeyInAFileIsAnError() {
        let failure = #expect(throws: SettingsError.self) {
            try table.read(Example(), arguments: [], environment: [:], file: (path: "/f", values: ["prot": "1"]))
        }
        #expect(failure?.description.contains("unknown setting 'prot'") == true)
    }

    @Test func secretsAreHiddenWhereverValuesAreShown() throws {
        let reading = try table.read(Example(), arguments: ["--secret", "abc"], environment: [:])
        #expect(reading.configuration.secret == "abc")
        #expect(table.present(reading).first { $0.name == "secret" }?.value == "(hidden)")
    }

    @Test func listsAreSeparatedByCommas() throws {
        let reading = try table.read(Example(), arguments: ["--hosts", "a, b"], environment: [:])
        #expect(reading.configuration.hosts == ["a", "b"])
    }

    @Test func helpAndDocumentationNameEverySetting() {
        let help = table.help(defaults: Example())
        let markdown = table.markdown(defaults: Example())
        for setting in table.settings {
            #expect(help.contains("--\(setting.name)"))
            #expect(markdown.contains("`\(setting.name)`"))
        }
        #expect(markdown.contains("`APP_SERVER_NAME`, `NAME`"))
    }
}
