import Settings

extension Command {
    static let completions = Command(
        name: "completions", usage: "completions SHELL",
        summary: "prints the script by which bash, zsh or fish completes commands and flags", settings: [],
        takesWords: true
    ) { reading in
        guard reading.operands.count == 1, let shell = Completions.Shell(rawValue: reading.operands[0]) else {
            throw SettingsError("give one shell: \(Completions.Shell.allCases.map(\.rawValue).joined(separator: ", "))")
        }
        Output.text(String(Completions().script(for: shell).dropLast()))
        return ExitCode.done
    }
}
