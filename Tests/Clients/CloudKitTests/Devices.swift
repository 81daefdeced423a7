import CloudModel
import FanfareCloudKit
import Foundation
import TestSupport

/// Devices of users of the test's own, on the system that all tests share.
struct Devices {
    let system: StorySystem
    /// Distinguishes the test's users, types and devices from others.
    let unique = String(UInt64.random(in: 0 ... .max), radix: 36)
    private let folder = TemporaryFolder()

    init() async throws { system = try await StorySystem.shared(.embedded) }

    /// A name of the test's own.
    func name(_ text: String) -> String { text + unique }

    /// The container as an app on a device of a user sees it.
    func device(
        _ device: String = "phone", of user: String = "alice", transport: any FanfareTransport = URLSessionTransport()
    ) -> CKContainer {
        var configuration = configuration(transport)
        configuration.signIn = .developmentUser(name(user))
        configuration.deviceID = "\(device)-\(user)-\(unique)"
        return CKContainer(configuration: configuration)
    }

    /// A configuration without a user.
    func configuration(_ transport: any FanfareTransport = URLSessionTransport()) -> CKContainer.Configuration {
        var configuration = CKContainer.Configuration(
            url: system.url, containerIdentifier: system.scope.container.rawValue, environment: .development,
            apiToken: system.apiToken, transport: transport)
        configuration.stateFolder = URL(fileURLWithPath: folder.path("state"))
        return configuration
    }
}

/// The next notifications of a device.
func next(_ count: Int, _ notifications: CKNotificationSequence) async throws -> [CKNotification] {
    try await within("\(count) notifications") {
        var received: [CKNotification] = []
        for try await notification in notifications {
            received.append(notification)
            if received.count == count { break }
        }
        return received
    }
}

/// What blocks were called with, in order.
actor Received<Element: Sendable> {
    private(set) var all: [Element] = []
    func add(_ element: Element) { all.append(element) }
}
