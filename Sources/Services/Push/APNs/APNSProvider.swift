package import CloudModel

/// Sends pushes of one container's environment to Apple's push service.
package struct APNSProvider: PushProvider {
    /// Apple's own.
    package static let origins: [APNSEnvironment: String] = [
        .production: "https://api.push.apple.com", .development: "https://api.sandbox.push.apple.com",
    ]

    private let requests: APNSRequests
    private let tokens: APNSTokens?
    private let transport: any PushTransport
    private let now: @Sendable () -> Timestamp

    /// - Parameters:
    ///   - tokens: nil where a certificate of the transport's connections takes their place.
    ///   - topic: the bundle ID of the app; nil if each device names one.
    package init(
        tokens: APNSTokens?, topic: String?, origins: [APNSEnvironment: String] = origins,
        transport: any PushTransport, now: @escaping @Sendable () -> Timestamp
    ) {
        requests = APNSRequests(origins: origins, topic: topic)
        self.tokens = tokens
        self.transport = transport
        self.now = now
    }

    package var kind: CourierKind { .apns }

    package func line(of address: PushAddress) -> String {
        guard case .apns(let address) = address else { return "" }
        let origin = requests.origins[address.environment] ?? ""
        return origin.hasPrefix("https://") ? String(origin.dropFirst(8)) : origin
    }

    package func connectionsLately(of line: String) -> Int { transport.connectionsLately(to: "https://\(line)") }

    /// A key may be for one environment alone.
    package func credential(of address: PushAddress) -> String {
        guard case .apns(let address) = address else { return "" }
        return address.environment.rawValue
    }

    package func send(_ push: OutgoingPush) async -> PushOutcome {
        guard case .apns(let address) = push.address else { return PushRefusal.otherKind.outcome }
        do throws(PushRefusal) {
            let token = tokens?.current()
            let answer = await transport.send(try requests.request(push, to: address, token: token))
            guard case .response(let response) = answer, APNSAnswer(response).isExpired, let token,
                let renewed = tokens?.renewed(after: token)
            else { return outcome(answer, address) }
            return outcome(await transport.send(try requests.request(push, to: address, token: renewed)), address)
        } catch {
            return error.outcome
        }
    }

    private func outcome(_ answer: PushAnswer, _ address: APNSAddress) -> PushOutcome {
        answer.outcome {
            APNSAnswer($0).outcome(
                hasOwnTopic: address.topic != nil && address.topic != requests.topic, now: now())
        }
    }
}
