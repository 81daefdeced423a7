import CloudModel
import JSON
import RecordStore
import SQLite
import Settings
import TestSupport
import Testing

@testable import fanfare

/// What commands print obeys no record, user, token or argument.
@Suite("Output to terminals") struct TerminalTests {
    /// Line ends, a title of a window, C1, DEL, a turn of the writing direction, a line separator.
    private static let hostile = "evil\r\n000 admin\u{1b}]0;owned\u{7}\u{9b}2J\u{7f}\u{202e}nimda\u{2028}x"

    private let folder = TemporaryFolder()

    private func run(_ arguments: [String]) async throws -> (code: Int32, output: String, complaints: String) {
        // A matcher makes its folders before it looks for Kafka.
        let folders = ["FANFARE_CRASH_MARKS", "FANFARE_TABLE_SNAPSHOTS"]
        let process = FanfareProcess(
            arguments, environment: Dictionary(uniqueKeysWithValues: folders.map { ($0, folder.path($0)) }),
            folder: folder, name: "command-\(UInt64.random(in: 0 ... .max))")
        let (code, output) = try await within { try await process.run() }
        return (code, output, process.complaints)
    }

    /// Checks that nothing but line ends is left of what a terminal obeys.
    private func expectHarmless(_ text: String, _ what: String) {
        for scalar in text.unicodeScalars where scalar != "\n" {
            switch scalar.properties.generalCategory {
            case .control, .format, .lineSeparator, .paragraphSeparator:
                Issue.record("\(what) prints U+\(String(scalar.value, radix: 16)): \(text.debugDescription)")
                return
            default: continue
            }
        }
    }

    /// A store with a user, an API token, a server key and a device, each of hostile names.
    private func makeStore() async throws -> [String] {
        var configuration = Configuration()
        configuration.data = folder.path("data")
        let scope = configuration.scopes[0]
        let store = try Backends.store(configuration, scope, role: .owner)
        await store.close()
        let connection = try SQLiteConnection.open(
            SQLiteConfiguration(path: "\(configuration.data)/\(scope).sqlite"))
        let user = "_" + String(repeating: "a", count: 32)
        try connection.run(
            "INSERT INTO users (name, issuer, subject, created) VALUES (?, ?, ?, 1)", .text(user), .text("development"),
            .text(Self.hostile))
        try connection.run(
            "INSERT INTO user_profiles (name, email, given_name, family_name) VALUES (?, ?, ?, ?)", .text(user),
            .text(Self.hostile), .text(Self.hostile), .text(Self.hostile))
        try connection.run(
            "INSERT INTO api_tokens (digest, note, created) VALUES (?, ?, 1)", .blob([UInt8](repeating: 1, count: 32)),
            .text(Self.hostile))
        try connection.run(
            "INSERT INTO server_keys (id, user, public_key, note, created) VALUES ('k', ?, 'p', ?, 1)", .text(user),
            .text(Self.hostile))
        return ["--data", configuration.data, "--container", scope.container.rawValue]
    }

    @Test("lists have a line for each thing, whatever its names are, as text and as JSON")
    func lists() async throws {
        let flags = try await makeStore()
        for list in ["users list", "token list", "key list"] {
            let words = list.split(separator: " ").map(String.init)
            let plain = try await run(words + flags)
            #expect(plain.code == 0, "\(list) \(plain.complaints)")
            expectHarmless(plain.output, list)
            #expect(plain.output.split(separator: "\n").count == 1, "\(list): \(plain.output)")
            #expect(plain.output.contains(#"evil\u000d\u000a000 admin\u001b]0;owned\u0007\u009b2J"#), "\(plain.output)")
            let json = try await run(words + flags + ["--json"])
            expectHarmless(json.output, "\(list) --json")
            let object = try JSONValue(parsing: Array(json.output.utf8)).object ?? [:]
            #expect(object.contains { $0.value.string == Self.hostile }, "\(list): JSON keeps the value")
        }
    }

    @Test("no command prints an argument that a terminal obeys", arguments: Command.all.map(\.name))
    func arguments(name: String) async throws {
        let words = name.split(separator: " ").map(String.init)
        var tried = [
            ["--\(Self.hostile)"], ["--config", folder.path(Self.hostile)], ["--log-level", Self.hostile],
            ["--listen", "x\u{1b}[2J", "--data", folder.path("nothing")],
        ]
        // With an operand alone the whole system in one process would begin to serve.
        if name != "dev" { tried.append(["--data", folder.path("nothing"), Self.hostile]) }
        for arguments in tried {
            let result = try await run(words + arguments)
            expectHarmless(result.output + result.complaints, "\(name) \(arguments)")
        }
    }

    @Test("an unknown command, and help, are printed harmlessly")
    func help() async throws {
        let unknown = try await run([Self.hostile])
        #expect(unknown.code == 2 && unknown.complaints.hasPrefix("fanfare: there is no command 'evil"))
        expectHarmless(unknown.complaints, "an unknown command")
        let help = try await run(["--help"])
        #expect(help.output.split(separator: "\n").count > 20)
    }

    @Test("a user's name on the command line is named harmlessly where there is none")
    func unknownUser() async throws {
        let flags = try await makeStore()
        for verb in ["block", "unblock", "sign-out", "delete"] {
            let result = try await run(["users", verb, "nobody\u{1b}[8m\n\u{85}"] + flags)
            #expect(result.code == 1 && result.complaints.split(separator: "\n").count == 1, "\(result)")
            expectHarmless(result.output + result.complaints, verb)
        }
    }
}
