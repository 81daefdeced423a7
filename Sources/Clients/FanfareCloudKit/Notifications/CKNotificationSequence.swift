import CloudModel
import Foundation
import Timing

/// A device's notifications as they come, each once, in order. Connects again where a connection ended, from the last
/// notification that it handed out; ends by the cancellation of the task that reads.
public struct CKNotificationSequence: AsyncSequence, Sendable {
    /// A notification, whose `serverChangeToken` is the place after it.
    public typealias Element = CKNotification

    let session: CloudSession
    let container: String
    let device: DeviceID?
    let token: CKServerChangeToken?
    /// The one database that is listened to; nil is all.
    let scope: CKDatabase.Scope?

    /// An iterator that begins after the token.
    public func makeAsyncIterator() -> Iterator { Iterator(self) }

    /// Takes notifications from one connection after the other.
    public struct Iterator: AsyncIteratorProtocol {
        private static let pauses: (least: Duration, most: Duration) = (.milliseconds(200), .seconds(10))

        private let sequence: CKNotificationSequence
        private var token: CKServerChangeToken?
        private var connection: (service: CloudService, events: NotificationEvents.Iterator)?
        private var pause = pauses.least
        private var handedOut = RecentNames()

        fileprivate init(_ sequence: CKNotificationSequence) {
            self.sequence = sequence
            token = sequence.token
        }

        /// The next notification.
        /// - Throws: `CKError` for what no later try would mend, such as `changeTokenExpired`.
        public mutating func next() async throws -> CKNotification? {
            while true {
                do {
                    if connection == nil { connection = try await connect() }
                    if let service = connection?.service, let event = try await connection?.events.next() {
                        pause = Self.pauses.least
                        if let notification = try read(event, service) { return notification }
                        continue
                    }
                } catch {
                    let error = CKError(error)
                    guard error.isTransient else { throw error }
                }
                connection = nil
                do { try await Time.sleep(for: pause) } catch { throw CKError(error) }
                pause = Swift.min(pause * 2, Self.pauses.most)
            }
        }

        private func connect() async throws -> (CloudService, NotificationEvents.Iterator) {
            let device = if let device = sequence.device { device } else { try await sequence.session.device() }
            let token = token?.text
            let (service, events) = try await sequence.session.call { signedIn in
                (signedIn.service, try await signedIn.service.events(of: device, after: token))
            }
            return (service, events.makeAsyncIterator())
        }

        /// A notification of an event; nil for one that was handed out, or is another database's.
        private mutating func read(_ event: NotificationEvents.Element, _ service: CloudService) throws
            -> CKNotification?
        {
            let after = CKServerChangeToken(event.token)
            let notification = CKNotification.received(
                try service.received(event.json), container: sequence.container, token: after)
            token = after
            let content = notification.content
            // One change has one ID for all subscriptions that it fired.
            let name = RecentNames.Name(id: content.id, subscriptionID: content.subscriptionID, type: content.type)
            guard handedOut.insert(name) else { return nil }
            return sequence.scope == nil || sequence.scope == content.scope ? notification : nil
        }
    }
}

/// The last names of many notifications.
struct RecentNames {
    struct Name: Hashable {
        var id: String?
        var subscriptionID: String?
        var type: CKNotification.NotificationType
    }

    private static let countMax = 1000
    private var order: [Name] = []
    private var names: Set<Name> = []

    /// Returns false for a name that is among the last ones.
    mutating func insert(_ name: Name) -> Bool {
        guard names.insert(name).inserted else { return false }
        order.append(name)
        if order.count > 2 * Self.countMax {
            for old in order.prefix(Self.countMax) { names.remove(old) }
            order.removeFirst(Self.countMax)
        }
        return true
    }
}

extension CKDatabase {
    /// The notifications of this database's subscriptions as they come to this device, each once, in order. Not in
    /// CloudKit.
    /// - Parameter token: the token of the last notification that the app has handled; nil is the start of the retained
    ///   ones.
    public func notifications(after token: CKServerChangeToken? = nil) -> CKNotificationSequence {
        CKNotificationSequence(
            session: session.shared, container: session.configuration?.containerIdentifier ?? "", device: nil,
            token: token,
            scope: databaseScope)
    }
}
