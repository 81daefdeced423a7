import CloudModel
import Feeds
import HTTPServer
import JSON
import RecordService

/// The address of web couriers, `/aps?tok=…&ttl=…` (spec section 5.12): a GET waits for the next push payload and takes it
/// away. The token is the secret, so that no credentials are needed.
///
/// A payload is handed out by whoever moves the courier's place behind it; it moves before the answer is sent. An answer
/// that gets lost is lost, as pushes are: the feed still has it.
struct CourierPoll: Sendable {
    static let path = "/aps"

    private let token: String
    private let scope: APIScope
    private let rates: RateGuard

    static func admit(_ head: HTTPRequestHead) -> HTTPAdmission {
        guard head.method == "GET" || CrossOrigin.isPreflight(head.method, head.headers) else {
            let error = CloudError.badRequest("the web courier answers GET, not \(head.method)")
            var response = open(ErrorEncoding.response(error, status: 405))
            response.headers.append(("Allow", "GET"))
            return .refuse(response)
        }
        return .body(maximumBytes: 0)
    }

    static func answer(
        _ request: HTTPRequest, _ scopes: [ContainerEnvironment: APIScope], _ rates: RateGuard
    ) -> HTTPAnswer {
        if request.method == "OPTIONS" {
            let asked = request.headers["Access-Control-Request-Headers"] ?? ""
            return .now(open(HTTPResponse(status: 204, headers: CrossOrigin.permissions(["GET"], headers: asked))))
        }
        let id = RequestID.make()
        let token = request.queryValue("tok") ?? ""
        guard let scope = scopes.values.first(where: { $0.records.knowsCourier(token) }) else {
            let error = CloudError(.accessDenied, "tok is no token of a web courier; ask tokens/create for one")
            return .now(open(ErrorEncoding.response(error, id: id)))
        }
        let poll = CourierPoll(token: token, scope: scope, rates: rates)
        return .held {
            do {
                return open(poll.response(try await poll.next(), id))
            } catch {
                return open(CloudAPI.failure(error, id, "aps"))
            }
        }
    }

    /// The next payload; nil when nothing came for a while.
    private func next() async throws -> PushPayload? {
        let deadline = ContinuousClock().now + scope.courierWait
        let device = try await scope.records.courier(token).device
        let held = try rates.hold(.user(scope.scope, device.user), nil)
        defer { held.end() }
        try await scope.records.noteSeen(device)
        while true {
            let courier = try await scope.records.courier(token)
            var identity = scope.feeds.identity(of: courier.device)
            identity.client = courier.client
            let answer = try await scope.feeds.changes(
                in: identity, after: courier.token ?? scope.feeds.tokenAfterRegistration(of: identity), limit: 1,
                waiting: max(.zero, deadline - ContinuousClock().now))
            // A client that has gone away takes nothing.
            try Task.checkCancellation()
            guard try await scope.records.advance(courier, to: answer.token) else { continue }
            guard let notification = answer.notifications.first else { return nil }
            // No push is made of a read mark: on to what is next.
            if let payload = scope.feeds.encoder.payload(notification) { return payload }
        }
    }

    /// An empty body is a sign of life: the client asks again.
    private func response(_ payload: PushPayload?, _ id: String) -> HTTPResponse {
        guard let payload else {
            return HTTPResponse(
                status: 200,
                headers: [
                    ("Content-Type", "text/plain; charset=utf-8"), ("Cache-Control", "no-store"),
                    (RequestID.header, id),
                ])
        }
        let delivery = payload.delivery
        return JSONResponse.make(
            payload.json,
            headers: [
                ("apns-push-type", delivery.pushType.rawValue), ("apns-priority", "\(delivery.priority)"),
                (RequestID.header, id),
            ])
    }

    /// Web pages of any origin may use an address, as whoever has it may.
    private static func open(_ response: HTTPResponse) -> HTTPResponse {
        var response = response
        response.headers += [
            ("Access-Control-Allow-Origin", "*"),
            ("Access-Control-Expose-Headers", "apns-push-type, apns-priority, \(RequestID.header)"),
        ]
        return response
    }
}
