import Settings

extension Command {
    static let dev = Command(
        name: "dev", usage: "dev [--data DIR] [--listen HOST:PORT]",
        summary: "everything in one process on SQLite files: nothing else to start",
        settings: [.common, .containers, .store, .server, .quotas, .push, .marks], isRole: true
    ) { reading in
        var configuration = reading.configuration
        // Pushes are tried out with servers on the same machine.
        if reading.sources["push-loopback"] == nil { configuration.push.allowsLoopback = true }
        let isHere = Address(configuration.server.listen).map(PublicAddress.isLoopback) ?? false
        if reading.sources["console"] == nil, isHere { configuration.console.console = "public" }
        if configuration.console.place != .off, configuration.console.operatorTokenFile.isEmpty {
            configuration.console.operatorTokenFile = ServedConsole.ownTokenFile(configuration)
        }
        try await DevRole(configuration, settings: SettingRows.json(reading, configuration)).run()
        return ExitCode.done
    }
}
