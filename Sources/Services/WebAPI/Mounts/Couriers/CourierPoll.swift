import CloudModel
import Feeds
import HTTPServer
import JSON
import Push
import RecordService
import Timing
import Waiting

/// The URL of web couriers, `/aps?tok=…&ttl=…` (docs/cloudkit.md#web-courier): a GET waits for the next push payload
/// and consumes it. The token is the secret, so that no credentials are needed.
///
/// The request that moves the courier's position behind a payload delivers it; the position moves before the answer is
/// sent. A lost answer is lost, as pushes are: the feed still has it.
struct CourierPoll: Sendable {
    static let path = "/aps"

    /// A payload with the place in the trace of the change, where one is kept.
    private typealias Taken = (payload: PushPayload, traceparent: String?)

    let address: CourierAddress
    let scope: APIScope
    let rates: RateGuard

    /// Waits for the next payload.
    func answer() async throws -> HTTPResponse { response(try await next()) }

    /// Waits for the next payload; nil when nothing came for a while.
    private func next() async throws -> Taken? {
        let deadline = Time.now + scope.courierWait
        let device = try await scope.records.courier(address).device
        let held = try rates.hold(.user(scope.scope, device.user), nil)
        defer { held.end() }
        try await scope.records.noteSeen(device)
        return try await scope.couriers.web.next(at: address, until: deadline) {
            // Detached, so that the waiting task's stack stays small (0027).
            try await Task.apart { try await take() }
        }
    }

    /// Takes the next payload that there is; nil when there is none.
    private func take() async throws -> Taken? {
        while true {
            let courier = try await scope.records.courier(address)
            var identity = scope.feeds.identity(of: courier.device)
            identity.client = courier.client
            let answer = try await scope.feeds.changes(
                in: identity, after: courier.token ?? scope.feeds.tokenAfterRegistration(of: identity), limit: 1,
                waiting: .zero)
            // A client that has gone away takes nothing.
            try Task.checkCancellation()
            guard try await scope.records.advance(courier, to: answer.token) else { continue }
            guard let notification = answer.notifications.first else { return nil }
            // A read mark makes no push: continue with the next.
            if let payload = scope.payloads.payload(notification) { return (payload, notification.traceparent) }
        }
    }

    /// Writes the answer; an empty body is a sign of life, upon which the client asks again.
    private func response(_ taken: Taken?) -> HTTPResponse {
        guard let (payload, traceparent) = taken else {
            return HTTPResponse(
                status: 200,
                headers: [
                    ("Content-Type", "text/plain; charset=utf-8"), ("Cache-Control", "no-store"),
                ])
        }
        let delivery = payload.delivery
        return JSONResponse.make(
            payload.bytes,
            headers: [
                ("apns-push-type", delivery.pushType.rawValue), ("apns-priority", "\(delivery.priority)"),
            ] + (traceparent.map { [("traceparent", $0)] } ?? []))
    }
}
