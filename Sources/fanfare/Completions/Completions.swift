import Settings
import TextForms

/// Scripts that complete commands and flags in shells, made of the table of commands.
struct Completions {
    /// A shell that has a script.
    enum Shell: String, CaseIterable, Sendable {
        case bash, zsh, fish
    }

    /// One word of a flag.
    struct Flag: Equatable, Sendable {
        /// With its dashes.
        var name: String
        var summary: String
        /// Indicates whether the flag takes no word after it.
        var isSwitch: Bool
    }

    /// One command with the flags it takes.
    struct Entry: Sendable {
        /// One word, or two.
        var words: [String]
        var summary: String
        var flags: [Flag]
        /// The words with a space between them.
        var name: String { words.joined(separator: " ") }
    }

    let entries: [Entry]

    /// The commands of the program.
    init(_ commands: [Command] = Command.all) {
        entries = commands.map { command in
            Entry(
                words: command.name.split(separator: " ").map(String.init), summary: command.summary,
                flags: Configuration.table(for: command).settings.flatMap { setting in
                    let flag = Flag(name: "--\(setting.name)", summary: setting.help, isSwitch: setting.isSwitch)
                    let file = Flag(name: "--\(setting.name)-file", summary: "a file with it", isSwitch: false)
                    return setting.isSecret ? [flag, file] : [flag]
                } + [Flag(name: "--help", summary: "what the command does, and its flags", isSwitch: true)])
        }
    }

    /// The script of a shell.
    func script(for shell: Shell) -> String {
        switch shell {
        case .bash: bash
        case .zsh: zsh
        case .fish: fish
        }
    }

    /// The first words of commands, each once, in their order. The summary of a group names its second words.
    var firstWords: [(word: String, summary: String)] {
        var found: [(word: String, summary: String)] = []
        for entry in entries where !found.contains(where: { $0.word == entry.words[0] }) {
            let second = secondWords(of: entry.words[0])
            found.append(
                (entry.words[0], second.isEmpty ? entry.summary : second.map(\.word).joined(separator: ", ")))
        }
        return found
    }

    /// The second words that may follow a first one.
    func secondWords(of first: String) -> [(word: String, summary: String)] {
        entries.filter { $0.words[0] == first && $0.words.count == 2 }.map { ($0.words[1], $0.summary) }
    }

    /// The first words that a second one follows.
    var groups: [String] { firstWords.map(\.word).filter { !secondWords(of: $0).isEmpty } }

    /// A text within single quotes, as bash and zsh read it.
    static func quoted(_ text: String) -> String { "'\(text.exchanging("'", for: #"'\''"#))'" }
}
