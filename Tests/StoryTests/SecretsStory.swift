import Foundation
import TestSupport
import Testing

/// Secrets that are made once before the services start.
@Suite struct SecretsStory {
    @Test("secrets init makes key ring and API token for their owner only, and leaves them when it is run again")
    func secrets() async throws {
        let folder = TemporaryFolder()
        let files = [folder.path("secrets/token.keys"), folder.path("secrets/api.token")]
        var contents: [[Data]] = []
        for run in 0..<2 {
            let command = FanfareProcess(
                ["secrets", "init", "--data", folder.path("secrets")], folder: folder, name: "secrets-\(run)")
            #expect(try await command.run().code == 0)
            contents.append(try files.map { try Data(contentsOf: URL(fileURLWithPath: $0)) })
            let token = String(decoding: contents[run][1], as: UTF8.self).trimmingCharacters(in: .newlines)
            #expect(token.utf8.count == 64 && token.allSatisfy(\.isHexDigit))
            #expect(!command.output.contains(token))
        }
        #expect(contents[0] == contents[1])
        for file in files {
            let permissions = try FileManager.default.attributesOfItem(atPath: file)[.posixPermissions] as? Int
            #expect(permissions == 0o600)
        }
    }
}
