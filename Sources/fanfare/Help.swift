import Settings

/// The text that `--help` prints.
enum Help {
    static var overview: String {
        let width = Command.all.map(\.name.count).max() ?? 0
        let lines = Command.all.map { command in
            "  \(command.name)\(String(repeating: " ", count: width - command.name.count))  \(command.summary)"
        }
        return """
            fanfare: a self-hosted record service with CloudKit's subscriptions and notifications

            usage: fanfare COMMAND [FLAGS]      fanfare COMMAND --help shows its flags

            \(lines.joined(separator: "\n"))
              --version\(String(repeating: " ", count: max(0, width - 9)))  which build this is
            """
    }

    static func text(of command: Command) -> String {
        """
        fanfare \(command.usage)

        \(command.summary)

        \(Configuration.table(for: command).help(defaults: Configuration()))

        Settings also come from the environment (FANFARE_…) and from a JSON file (--config); flags win, then the environment.
        """
    }
}
