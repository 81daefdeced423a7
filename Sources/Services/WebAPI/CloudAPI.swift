import CloudModel
package import HTTPServer
import Telemetry

/// The public port: CloudKit Web Services, the device endpoints and their pages, over HTTP.
package struct CloudAPI: HTTPHandler {
    static let requests = Counter("fanfare_web_api_requests_total", "Requests to the public port.")
    static let durations = Histogram(
        "fanfare_web_api_request_seconds", "From a request's last byte to its answer, held answers left out.")

    let router: Router
    /// The rates and the room for large work, which the ports of a process share.
    private let calls: APICalls

    /// Serves these containers and environments.
    /// - Parameters:
    ///   - bodyBytesMax: bytes of a request's body.
    ///   - rates: what senders may ask for in a while; nothing is refused without.
    ///   - securityText: where weaknesses are reported; nil serves none.
    ///   - more: mounts of other modules.
    ///   - isReadOnly: whether requests that change something are refused.
    ///   - other: another port of the process: rates and room for large work are of both together.
    package init(
        _ scopes: [APIScope], bodyBytesMax: Int = Limits.requestBodyBytesDefaultMax, rates: RateLimits = RateLimits(),
        securityText: SecurityText? = nil, more: [any Mount] = [],
        isReadOnly: Bool = false, sharingWith other: CloudAPI? = nil
    ) {
        // There from the start, at 0, so that a first increase shows.
        _ = (Self.requests, Self.durations, CloudDialect.failures, NotificationStream.open, RateGuard.throttled)
        _ = ErrorEncoding.refusals
        let scopes = ScopeTable(scopes)
        let calls = other?.calls ?? APICalls(rates: RateGuard(rates), bodyBytesMax: bodyBytesMax)
        let rates = calls.rates
        self.calls = calls
        // What the port serves: a mount each.
        let mounts: [any Mount] = [
            DatabaseMount(calls: calls),
            DeviceMount(calls: calls),
            SessionMount(calls: calls),
            AssetMount(rates: rates),
            CourierMount(scopes: scopes, rates: rates, works: calls.works),
            DocumentMount(),
            SecurityTextMount(text: securityText),
            ServiceWorkerMount(),
            ClientFileMount(),
            SignInMount(),
            ShareMount(),
            PageFileMount(),
        ]
        router = Router(mounts + more, scopes: scopes, rates: rates, isReadOnly: isReadOnly)
    }

    package func admit(_ head: HTTPRequestHead) -> HTTPAdmission { router.admit(head) }

    package func sending(_ bytes: Int, to client: ClientAddress?, admitted: (any Sendable)?) {
        router.sending(bytes, to: client, admitted: admitted)
    }

    package func answer(_ request: HTTPRequest) -> HTTPAnswer {
        Self.requests.increment()
        let answer = traced(router.answer(request), request)
        guard case .later(let work) = answer else { return answer }
        return .later {
            let began = ContinuousClock().now
            let response = await work()
            Self.durations.record(ContinuousClock().now - began)
            return response
        }
    }

    /// The answer as a span of the request's trace, where that is kept.
    private func traced(_ answer: HTTPAnswer, _ request: HTTPRequest) -> HTTPAnswer {
        guard Tracer.shared.isOn, let trace = RequestTrace(request) else { return answer }
        return switch answer {
        case .later(let work): .later { await trace.run(work) }
        case .held(let work): .held { rested in await trace.run { await work(rested) } }
        case .now: answer
        }
    }

    package func refusal(_ refusal: HTTPRefusal) -> HTTPResponse { router.refusal(refusal) }

    package func refusal(_ refusal: HTTPRefusal, ofUnadmittedFrom client: ClientAddress?) -> HTTPResponse {
        router.refusal(refusal, ofUnadmittedFrom: client)
    }
}
