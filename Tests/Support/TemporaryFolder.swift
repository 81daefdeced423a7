package import Foundation

/// A folder of a test's own, removed with it.
package final class TemporaryFolder: Sendable {
    /// The folder.
    package let url: URL

    /// Makes the folder within the system's temporary directory.
    package init() {
        url = FileManager.default.temporaryDirectory.appendingPathComponent("fanfare-\(UUID().uuidString)")
        try? FileManager.default.createDirectory(at: url, withIntermediateDirectories: true)
    }

    deinit {
        // `FANFARE_KEEP=1` leaves the folders of a failed run behind to be looked into.
        guard ProcessInfo.processInfo.environment["FANFARE_KEEP"] == nil else { return }
        try? FileManager.default.removeItem(at: url)
    }

    /// The path of a file in the folder.
    package func path(_ name: String) -> String { url.appendingPathComponent(name).path }
}
