import FanfareCloudKit
import Foundation
import TestSupport
import Testing

/// The to-do app of `Examples`, as two devices run it.
@Suite struct TodoTests {
    @Test("two devices sync their tasks, and one hears of the other's")
    func syncing() async throws {
        let devices = try await Devices()
        let folder = TemporaryFolder()
        let program = FanfareProcess.executable.deletingLastPathComponent().appendingPathComponent("todo").path
        func todo(_ device: String, _ arguments: String...) async throws -> String {
            let output = folder.path("\(UUID().uuidString).out")
            let line = ([program] + arguments).map { "'\($0)'" }.joined(separator: " ")
            let environment = [
                "FANFARE_URL": devices.system.url, "FANFARE_CONTAINER": devices.configuration().containerIdentifier,
                "FANFARE_API_TOKEN": devices.system.apiToken, "FANFARE_USER": devices.name("alice"),
                "FANFARE_DEVICE": "\(device)-\(devices.unique)", "TODO_FILE": folder.path("\(device).json"),
                "PATH": "/usr/bin:/bin", "HOME": folder.path("home"),
            ]
            _ = FileManager.default.createFile(atPath: output, contents: nil)
            let handle = try #require(FileHandle(forWritingAtPath: output))
            let process = ChildProcess(
                "/bin/sh", ["-c", line], environment: environment, output: handle, error: handle)
            let code = try await within {
                await withCheckedContinuation { (ended: CheckedContinuation<Int32, Never>) in
                    do { try process.run { ended.resume(returning: $0) } } catch { ended.resume(returning: -1) }
                }
            }
            let text = try String(contentsOfFile: output, encoding: .utf8)
            #expect(code == 0, "\(arguments): \(text)")
            return text
        }
        _ = try await todo("phone", "list")
        _ = try await todo("pad", "list")
        _ = try await todo("phone", "add", "Buy milk")
        let heard = try await todo("pad", "watch", "1")
        #expect(heard.contains("Buy milk"))
        _ = try await todo("pad", "done", "Buy milk")
        _ = try await todo("pad", "add", "Call Bob")
        let list = try await todo("phone", "list")
        #expect(list.contains("[x] Buy milk") && list.contains("[ ] Call Bob"))
    }
}
