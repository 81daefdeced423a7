import Operations
import Settings

extension Command {
    static let demo = Command(
        name: "demo", usage: "demo FOLDER --expected FILE --url URL --api-token TOKEN",
        summary: "plays a phone and a laptop on a folder of artworks and checks every notification; see scripts/demo",
        settings: [.common, .containers, .target, .playing]
    ) { reading in
        let configuration = reading.configuration
        guard let folder = reading.operands.first, reading.operands.count == 1, !configuration.playing.expected.isEmpty
        else {
            throw SettingsError("give the folder with the artworks, and --expected with what must come")
        }
        let timeline = DemoTimeline(isColoured: Output.isColoured, write: Output.line)
        var play = try await DemoPlay(
            client: try Clients.anonymous(configuration), folder: folder, expected: configuration.playing.expected,
            timeline: timeline)
        return try await play.run() ? ExitCode.done : ExitCode.differences
    }
}
