import CloudModel

/// A device's notifications as they come, each once, in order. Connects again where a connection ended; ends by the
/// cancellation of the task that reads.
public struct FanfareNotifications: AsyncSequence, Sendable {
    /// A notification with its change token.
    public typealias Element = FanfareNotification

    let service: CloudService
    let device: DeviceID
    let token: String?

    /// An iterator that begins after the token.
    public func makeAsyncIterator() -> Iterator { Iterator(service: service, device: device, token: token) }

    /// Takes notifications from one connection after the other.
    public struct Iterator: AsyncIteratorProtocol {
        private static let pauses: (least: Duration, most: Duration) = (.milliseconds(200), .seconds(10))

        private let service: CloudService
        private let device: DeviceID
        private var token: String?
        private var events: NotificationEvents.Iterator?
        private var pause = pauses.least

        fileprivate init(service: CloudService, device: DeviceID, token: String?) {
            self.service = service
            self.device = device
            self.token = token
        }

        /// The next notification.
        /// - Throws: `FanfareError` for what no later try would mend, such as `CHANGE_TOKEN_EXPIRED`.
        public mutating func next() async throws -> FanfareNotification? {
            while true {
                do {
                    if events == nil {
                        events = try await service.events(of: device, after: token).makeAsyncIterator()
                    }
                    if let event = try await events?.next() {
                        token = event.token
                        pause = Self.pauses.least
                        return FanfareNotification(try service.received(event.json), token: event.token)
                    }
                } catch let error as FanfareError where !error.isTransient {
                    throw error
                } catch {
                    try Task.checkCancellation()
                }
                events = nil
                try await Task.sleep(for: pause)
                pause = Swift.min(pause * 2, Self.pauses.most)
            }
        }
    }
}
