import Foundation
import TestSupport
import Testing

@testable import fanfare

/// Completion in shells.
@Suite("Completions") struct CompletionTests {
    private let folder = TemporaryFolder()

    /// Runs a script of bash, with the completion of fanfare before it; returns the lines that it prints.
    private func bash(_ script: String) throws -> [String] {
        let file = folder.path("script-\(UInt64.random(in: 0 ... .max))")
        try Data((Completions().script(for: .bash) + script).utf8).write(to: URL(fileURLWithPath: file))
        let output = URL(fileURLWithPath: file + ".out")
        try Data().write(to: output)
        let process = ChildProcess(
            "/usr/bin/env", ["bash", "--norc", file], environment: ProcessInfo.processInfo.environment,
            output: try FileHandle(forWritingTo: output), error: .standardError)
        try process.runToEnd()
        return try String(contentsOf: output, encoding: .utf8).split(separator: "\n").map(String.init)
    }

    private func completing(_ words: String...) -> String { completing(words) }

    private func completing(_ words: [String]) -> String {
        let quoted = words.map(Completions.quoted).joined(separator: " ")
        return """
            COMP_WORDS=(fanfare \(quoted)) COMP_CWORD=\(words.count) COMPREPLY=()
            _fanfare
            echo "${COMPREPLY[*]}"

            """
    }

    @Test("bash completes the flags of each command, and no other")
    func flags() throws {
        let entries = Completions().entries
        // A word between has no meaning, as a file that a command takes.
        let script = entries.map { completing($0.words + ["-"]) }.joined()
        let lines = try bash(script)
        try #require(lines.count == entries.count)
        for (entry, line) in zip(entries, lines) {
            #expect(line.split(separator: " ").map(String.init) == entry.flags.map(\.name), "\(entry.name)")
        }
    }

    @Test("bash completes the words of commands by their beginning")
    func words() throws {
        let lines = try bash(
            completing("top") + completing("topics", "") + completing("topics", "a") + completing("dev", "--int")
                + completing("import", "file", "--rec"))
        #expect(
            lines == [
                "topics", "init verify acls", "acls", "--internal-listen --internal-token --internal-token-file",
                "--record-name",
            ])
    }

    @Test("every shell has each command and each flag")
    func everything() {
        let completions = Completions()
        for shell in Completions.Shell.allCases {
            let script = completions.script(for: shell)
            for entry in completions.entries {
                #expect(entry.words.allSatisfy(script.contains), "\(shell) lacks \(entry.name)")
                for flag in entry.flags {
                    let name = shell == .fish ? "-l \(flag.name.dropFirst(2))" : flag.name
                    #expect(script.contains(name), "\(shell) lacks \(flag.name)")
                }
            }
        }
    }

    @Test("a quote in a summary ends no text of a script")
    func quotes() {
        let command = Command(name: "try it", usage: "", summary: #"says 'it' \ and: $(so)"#, settings: []) { _ in 0 }
        let completions = Completions([command])
        #expect(completions.zsh.contains(#"'it:says '\''it'\'' \ and: $(so)'"#))
        #expect(completions.fish.contains(#"-a it -d 'says \'it\' \\ and: $(so)'"#))
    }

    @Test("a shell without a script is refused", arguments: [[], ["tcsh"], ["bash", "zsh"]])
    func refused(words: [String]) async throws {
        let process = FanfareProcess(["completions"] + words, folder: folder, name: "completions")
        #expect(try await within { try await process.run() }.code == 2)
        #expect(process.complaints.contains("bash, zsh, fish"))
    }
}
