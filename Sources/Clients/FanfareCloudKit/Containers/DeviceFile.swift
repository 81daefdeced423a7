import CloudModel
import Foundation

/// The file that remembers a device's ID: one for each container, environment and user, as a device is one user's.
struct DeviceFile {
    private let url: URL

    init(_ configuration: CKContainer.Configuration, user: UserRecordName) {
        let name = "\(configuration.containerIdentifier).\(configuration.environment.rawValue).\(user).device"
        url = Self.folder(of: configuration).appendingPathComponent(name)
    }

    /// The remembered ID, or a new one, which is remembered if it can be.
    func deviceID() -> String {
        if let text = try? String(contentsOf: url, encoding: .utf8), (try? DeviceID(text)) != nil { return text }
        let made = UUID().uuidString.lowercased()
        try? FileManager.default.createDirectory(
            at: url.deletingLastPathComponent(), withIntermediateDirectories: true)
        try? Data(made.utf8).write(to: url, options: .atomic)
        return made
    }

    /// The folder of what a container's client keeps.
    static func folder(of configuration: CKContainer.Configuration?) -> URL {
        if let folder = configuration?.stateFolder { return folder }
        let support = FileManager.default.urls(for: .applicationSupportDirectory, in: .userDomainMask).first
        return (support ?? FileManager.default.temporaryDirectory).appendingPathComponent("Fanfare")
    }
}
