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

extension Configuration {
    /// `device-client`.
    struct Following: Sendable {
        var device = ""
        var tokenFile = ""
        var output = ""
        var format = OutputFormat.json
        var fromStart = false
        var untilCaughtUp = false
        var limit = 0
    }
}

extension SettingGroup {
    static let followingSettings: [Setting<Configuration>] = [
        Setting("device", \.following.device, "the device whose feed is followed; registered if need be (over HTTP)"),
        Setting("token-file", \.following.tokenFile, "where the change token is kept between runs"),
        Setting(
            "output", \.following.output,
            "a file to append to instead of printing; it also keeps the change token, so that no notification is lost or doubled in it"
        ),
        Setting("format", \.following.format, "how notifications are printed: json for programs, text for people"),
        Setting("from-start", \.following.fromStart, "replay everything that is kept, whatever the token file says"),
        Setting("until-caught-up", \.following.untilCaughtUp, "end when there is nothing more for now"),
        Setting("limit", \.following.limit, in: 0...Int.max, "end after so many notifications; 0 is no limit"),
    ]
}
