import FanfareCloudKit
import Foundation

/// Plays stories of a user with two devices on real artworks, and compares the notifications with an independent count.
///
///     demo FOLDER EXPECTED
///
/// FOLDER has `artworks.jsonl`, `artists.jsonl` and `demo.json`; EXPECTED has a line for each notification that must
/// come. The service is named by the environment as for `todo`; it has to be fresh, with sign-in by name. `scripts/demo`
/// prepares all of it. Exit code 3 if a notification is missing, doubled or out of order.
@main struct Demo {
    static func main() async {
        let arguments = Array(CommandLine.arguments.dropFirst())
        guard arguments.count == 2 else { end("give the folder with the artworks and the file of notifications", 64) }
        do {
            let play = try Play(
                service: CKContainer.Configuration(environment: ProcessInfo.processInfo.environment),
                folder: URL(fileURLWithPath: arguments[0]), expected: URL(fileURLWithPath: arguments[1]))
            exit(try await play.run() ? 0 : 3)
        } catch {
            end((error as? CKError)?.localizedDescription ?? "\(error)", 1)
        }
    }

    private static func end(_ text: String, _ code: Int32) -> Never {
        try? FileHandle.standardError.write(contentsOf: Data("demo: \(text)\n".utf8))
        exit(code)
    }
}
