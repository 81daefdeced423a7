import Settings

extension Command {
    static let dev = Command(
        name: "dev", usage: "dev [--data DIR] [--listen HOST:PORT]",
        summary: "everything in one process on SQLite files: nothing else to start",
        settings: [.common, .containers, .store, .server, .quotas, .marks]
    ) { reading in
        try await DevRole(reading.configuration).run()
        return ExitCode.done
    }
}
