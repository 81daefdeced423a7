import Settings

extension Command {
    static let deviceClient = Command(
        name: "device-client",
        usage: "device-client --device ID (--url URL --api-token TOKEN --user NAME | --bootstrap-servers HOST:PORT)",
        summary: "follows a device's feed and prints a JSON line for each notification",
        settings: [.common, .containers, .store, .log, .target, .client, .following]
    ) { reading in
        try await DeviceClientRole(reading.configuration).run()
        return ExitCode.done
    }
}
