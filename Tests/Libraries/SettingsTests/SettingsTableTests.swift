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
    func whatCannotBeUsedIsNamed(arguments: [String], message: String) {
        let failure = #expect(throws: SettingsError.self) {
            try table.read(Example(), arguments: arguments, environment: [:])
        }
        #expect(failure?.description.contains(message) == true, "\(String(describing: failure))")
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
