import Foundation
import HTTPClient
import TestSupport
import Testing

/// Where weaknesses are reported, as the settings say.
@Suite struct SecurityTextStory {
    @Test("security.txt is served from settings, to anybody, and absent without them")
    func served() async throws {
        let system = try await StorySystem.start(
            .embedded,
            with: [
                "FANFARE_SECURITY_CONTACT": "mailto:security@example.com,https://example.com/report",
                "FANFARE_SECURITY_EXPIRES": "2099-06-30T00:00:00Z",
            ])
        let url = "\(system.url)/.well-known/security.txt"
        let answer = try await system.http.send(HTTPClientRequest("GET", url))
        let lines = String(decoding: answer.body, as: UTF8.self).split(separator: "\n")
        #expect(answer.status == 200 && lines.filter { $0.hasPrefix("Contact: ") }.count == 2, "\(lines)")
        #expect(lines.filter { $0.hasPrefix("Expires: 2099-06-30T00:00:00") }.count == 1)
        #expect(try await system.http.send(HTTPClientRequest("POST", url)).status == 405)
        try await system.stop()
        let plain = try await StorySystem.shared(.embedded)
        let absent = try await plain.http.send(HTTPClientRequest("GET", "\(plain.url)/.well-known/security.txt"))
        #expect(absent.status == 404)
    }

    @Test(
        "a contact without an end, an end without a contact, and what is neither, are refused at the start",
        arguments: [
            ["--security-contact", "mailto:a@example.com"], ["--security-expires", "2099-01-01T00:00:00Z"],
            ["--security-contact", "security@example.com", "--security-expires", "2099-01-01T00:00:00Z"],
            ["--security-contact", "http://example.com", "--security-expires", "2099-01-01T00:00:00Z"],
            ["--security-contact", "mailto:a@b c", "--security-expires", "2099-01-01T00:00:00Z"],
            ["--security-contact", "mailto:a@b\nExpires: x", "--security-expires", "2099-01-01T00:00:00Z"],
            ["--security-contact", "mailto:a@example.com", "--security-expires", "tomorrow"],
        ])
    func refused(flags: [String]) async throws {
        let folder = TemporaryFolder()
        let process = FanfareProcess(
            ["dev", "--data", folder.path("data"), "--listen", "127.0.0.1:0", "--internal-listen", "127.0.0.1:0"]
                + flags,
            folder: folder, name: "refused")
        #expect(try await within { try await process.run() }.code == 2, "\(process.complaints)")
        #expect(process.complaints.contains("security-"), "\(process.complaints)")
    }
}
