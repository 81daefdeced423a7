package import CloudModel
import TextForms
package import Waiting

/// Sends pushes of one container's environment to the push services of browsers, and to those of UnifiedPush.
package struct WebPushProvider: PushProvider {
    private let requests: WebPushRequests
    private let transport: any PushTransport
    private let threads: WorkerThreads
    private let now: @Sendable () -> Timestamp

    /// - Parameter threads: those that encrypt.
    package init(
        tokens: VAPIDTokens, transport: any PushTransport, threads: WorkerThreads,
        now: @escaping @Sendable () -> Timestamp
    ) {
        requests = WebPushRequests(tokens: tokens)
        self.transport = transport
        self.threads = threads
        self.now = now
    }

    package var kind: CourierKind { .webPush }

    package func line(of address: PushAddress) -> String {
        guard case .webPush(let address) = address else { return "" }
        return HTTPURL.pushed(to: address.endpoint)?.authority ?? ""
    }

    /// The push service: each is shown a token of its own, and one that refuses it must not stop the others.
    package func credential(of address: PushAddress) -> String { line(of: address) }

    package func send(_ push: OutgoingPush) async -> PushOutcome {
        guard case .webPush(let address) = push.address else { return PushRefusal.otherKind.outcome }
        let made = await threads.run { [requests, now] _ in
            Result { () throws(PushRefusal) in try requests.request(push, to: address, now: now()) }
        }
        switch made {
        case .failure(let refusal): return refusal.outcome
        case .success(let request):
            return await transport.send(request).outcome {
                WebPushAnswer(response: $0).outcome(push.contents, now: now())
            }
        }
    }
}
