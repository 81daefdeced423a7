import CloudModel
import Cryptography
import TextForms

/// Makes requests of RFC 8030. Encrypts, which takes some 150 µs: on threads of its own.
struct WebPushRequests {
    let tokens: VAPIDTokens

    /// The request of a push.
    func request(
        _ push: OutgoingPush, to address: WebPushAddress, now: Timestamp
    ) throws(PushRefusal) -> PushRequest {
        guard let url = HTTPURL.pushed(to: address.endpoint) else { throw PushRefusal(dropping: "malformed-endpoint") }
        // The browser does not pass the topic on to the service worker.
        let payload = push.payload.sent(
            within: WebPushEncryption.contentBytesMax, push.contents, isVisible: push.isVisible,
            tag: push.collapseID?.isEmpty == false ? push.topic : nil)
        let isVisible = payload.delivery.isVisible
        // Browsers take the permission away from servers whose pushes show nothing.
        guard isVisible || address.takesSilent else { throw PushRefusal(dropping: "shows-nothing") }
        // The operator's file may lack it, and then it does for many.
        guard let authorization = tokens.authorization(for: url.origin, key: address.serverKey) else {
            throw PushRefusal(.doubtful(PushFailure(reason: "unknown-server-key")))
        }
        let urgency = push.isReadMark ? "low" : isVisible ? "high" : "normal"
        let seconds = max(0, (push.expires.milliseconds - now.milliseconds) / 1000)
        return PushRequest(
            url: url.text,
            headers: [
                ("authorization", authorization), ("content-encoding", "aes128gcm"),
                ("content-type", "application/octet-stream"), ("ttl", "\(seconds)"), ("urgency", urgency),
                ("topic", push.topic),
            ], body: try encrypt(payload.bytes, for: address))
    }

    private func encrypt(_ content: [UInt8], for address: WebPushAddress) throws(PushRefusal) -> [UInt8] {
        do throws(WebPushEncryptionError) {
            return try WebPushEncryption(receiver: address.publicKey, secret: address.authentication).encrypt(content)
        } catch {
            switch error {
            case .malformedKey, .malformedSecret: throw PushRefusal(dropping: "malformed-keys")
            case .tooLarge: throw PushRefusal(dropping: "too-large")
            }
        }
    }
}
