package import CloudModel
import TextForms

/// Sends pushes of one container's environment to servers, as signed requests.
package struct WebhookProvider: PushProvider {
    private let requests: WebhookRequests
    private let transport: any PushTransport
    private let now: @Sendable () -> Timestamp

    package init(
        scope: ContainerEnvironment, transport: any PushTransport, now: @escaping @Sendable () -> Timestamp
    ) {
        requests = WebhookRequests(scope: scope)
        self.transport = transport
        self.now = now
    }

    package var kind: CourierKind { .webhook }

    package func line(of address: PushAddress) -> String {
        guard case .webhook(let address) = address else { return "" }
        return HTTPURL.pushed(to: address.url)?.authority ?? ""
    }

    package func send(_ push: OutgoingPush) async -> PushOutcome {
        guard case .webhook(let address) = push.address else { return PushRefusal.otherKind.outcome }
        do throws(PushRefusal) {
            let request = try requests.request(push, to: address, now: now())
            return await transport.send(request).outcome {
                WebhookAnswer(response: $0).outcome(push.contents, now: now())
            }
        } catch {
            return error.outcome
        }
    }
}
