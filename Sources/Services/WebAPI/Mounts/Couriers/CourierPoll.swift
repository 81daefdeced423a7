import CloudModel
import Feeds
import HTTPServer
import JSON
import Push
import RecordService

/// A poll of the URL of a web courier, `/aps?tok=…&ttl=…` (docs/cloudkit.md#web-courier): a GET waits for the next push
/// payload and consumes it. The token is the secret, so that no credentials are needed.
///
/// The courier reads the feed of its device, from a place that the store keeps. The request that moves the place behind a
/// payload delivers it; the place moves before the answer is sent. A lost answer is lost, as pushes are: the feed still
/// has it.
struct CourierPoll: PolledFeed {
    static let endsInTime = false
    static let path = "/aps"

    private let address: CourierAddress
    private let scope: APIScope
    private let ring: FeedWakeups.Watch?

    /// Begins to watch: entries from now on ring.
    init(address: CourierAddress, scope: APIScope) {
        self.address = address
        self.scope = scope
        ring = scope.feeds.news?.watch(address.user)
    }

    /// Answers a request, or holds it until there is something.
    /// - Parameter rested: the poll that goes on; nil for a new request.
    static func answer(
        _ address: CourierAddress, _ scope: APIScope, _ works: Works, rates: RateGuard, rested: (any HTTPResting)?
    ) async throws -> HTTPResponse {
        if let poll = rested as? HeldPoll<CourierPoll> { return try await answer(poll) }
        let device = try await scope.records.courier(address).device
        let held = try rates.hold(.user(scope.scope, device.user), nil)
        let poll = HeldPoll(CourierPoll(address: address, scope: scope), wait: scope.courierWait, alarms: works.alarms)
        poll.whenOver { held.end() }
        return try await poll.begin {
            try await scope.records.noteSeen(device)
            return try await answer(poll)
        }
    }

    /// Without wakeups there is nothing to wait for.
    private static func answer(_ poll: HeldPoll<CourierPoll>) async throws -> HTTPResponse {
        if let response = try await poll.next() { return response }
        guard poll.subject.ring != nil else { return await poll.subject.nothing() }
        return HTTPResponse(status: 200, body: .resting(poll))
    }

    var watch: FeedWakeups.Watch? { ring }

    /// Takes the next payload that there is.
    func read(isFirst: Bool) async throws -> HTTPResponse? {
        while true {
            let courier = try await scope.records.courier(address)
            var identity = scope.feeds.identity(of: courier.device)
            identity.client = courier.client
            let answer = try await scope.feeds.changes(
                in: identity, after: courier.token ?? scope.feeds.tokenAfterRegistration(of: identity), limit: 1,
                waiting: .zero)
            // Rings for entries of others write nothing: the next request moves the place behind them.
            if answer.notifications.isEmpty, !isFirst { return nil }
            // A client that has gone away takes nothing.
            try Task.checkCancellation()
            guard try await scope.records.advance(courier, to: answer.token) else { continue }
            guard let notification = answer.notifications.first else { return nil }
            // A read mark makes no push: continue with the next.
            if let payload = scope.payloads.payload(notification) {
                return Self.response(payload, notification.traceparent)
            }
        }
    }

    /// An empty body is a sign of life, upon which the client asks again.
    func nothing() async -> HTTPResponse {
        HTTPResponse(
            status: 200,
            headers: [("Content-Type", "text/plain; charset=utf-8"), ("Cache-Control", "no-store")])
    }

    func close() async { if let ring { scope.feeds.news?.end(ring) } }

    private static func response(_ payload: PushPayload, _ traceparent: String?) -> HTTPResponse {
        let delivery = payload.delivery
        return JSONResponse.make(
            payload.bytes,
            headers: [
                ("apns-push-type", delivery.pushType.rawValue), ("apns-priority", "\(delivery.priority)"),
            ] + (traceparent.map { [("traceparent", $0)] } ?? []))
    }
}
