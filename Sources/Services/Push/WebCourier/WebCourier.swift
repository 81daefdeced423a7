package import CloudModel
package import Cryptography
import Timing
import Waiting

/// The web courier: clients poll a URL, `/aps?tok=…`, and get push payloads one at a time
/// (docs/cloudkit.md#web-courier).
///
/// It reads the feed of its device, from a position that the store keeps. So it delivers by waking waiting polls; a
/// poll that was not woken finds the same at the end of its wait, and so does the next one.
package final class WebCourier: Courier {
    /// The name under which devices are registered for it.
    package static let kind = CourierKind.web
    /// The platform that its devices are listed with.
    package static let platform = "webcourier"

    private struct Life: Hashable {
        var device: DeviceID
        var epoch: DeviceEpoch
    }

    private let tokens: WebCourierTokens
    private let bell = Bell<Life>()

    /// Serves the addresses of one container's environment.
    package init(_ keys: KeyRing, scope: ContainerEnvironment) { tokens = WebCourierTokens(keys, scope: scope) }

    package var kind: CourierKind { Self.kind }

    /// Makes the token of a URL: its holder may poll.
    package func token(of address: CourierAddress) -> String { tokens.seal(address) }

    package func address(of token: String) -> CourierAddress? { tokens.open(token) }

    package func deliver(_ push: Push) async { bell.ring(Life(device: push.device, epoch: push.epoch)) }

    package func passedBy() async { bell.ringAll() }

    /// Looks for a payload until there is one: at once, whenever a notification for the address came, and at the end.
    /// - Parameter look: takes the next payload; nil when there is none.
    /// - Returns: nil when nothing came by the deadline.
    package func next<Payload>(
        at address: CourierAddress, until deadline: ContinuousClock.Instant, _ look: () async throws -> Payload?
    ) async throws -> Payload? {
        let life = Life(device: address.device, epoch: address.epoch)
        while true {
            // Registered before the read, so that later entries are noticed.
            let ticket = bell.register(life)
            defer { bell.drop(ticket, for: life) }
            let isLast = Time.now >= deadline
            if let found = try await look() { return found }
            if isLast { return nil }
            await wait(for: ticket, life, until: deadline)
            try Task.checkCancellation()
        }
    }

    /// Returns when a notification came since the registration, at the deadline, or when the task is cancelled.
    private func wait(for ticket: Bell<Life>.Ticket, _ life: Life, until deadline: ContinuousClock.Instant) async {
        await withTaskGroup(of: Void.self) { group in
            group.addTask { await self.bell.wait(ticket, for: life) }
            group.addTask { try? await Time.sleep(until: deadline) }
            await group.next()
            group.cancelAll()
        }
    }
}
