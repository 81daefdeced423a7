import CloudModel
import Cryptography
import JSON
import TextForms

/// Makes requests of Standard Webhooks with bodies of CloudEvents (JSON, structured). Pure.
struct WebhookRequests {
    /// The type of all events.
    static let type = "fanfare.notification"

    /// The source of the events.
    let scope: ContainerEnvironment

    /// The request of a push, signed at a time.
    func request(
        _ push: OutgoingPush, to address: WebhookAddress, now: Timestamp
    ) throws(PushRefusal) -> PushRequest {
        guard let url = HTTPURL.pushed(to: address.url) else { throw PushRefusal(dropping: "malformed-endpoint") }
        guard !address.secrets.isEmpty else { throw PushRefusal(dropping: "no-secret") }
        let body = body(push)
        let signed = Array("\(push.id).\(now.milliseconds / 1000).".utf8) + body
        let signatures = address.secrets.map {
            "v1,\(Base64.standard.encode(HMACSHA256(key: $0).code(for: signed)))"
        }
        return PushRequest(
            url: url.text,
            headers: [
                ("content-type", "application/cloudevents+json; charset=utf-8"), ("webhook-id", push.id.description),
                ("webhook-timestamp", "\(now.milliseconds / 1000)"),
                ("webhook-signature", signatures.joined(separator: " ")),
            ], body: body)
    }

    private func body(_ push: OutgoingPush) -> [UInt8] {
        var writer = JSONWriter()
        writer.beginObject()
        writer.member("specversion", "1.0")
        writer.member("id", push.id.description)
        writer.member("source", "/\(scope.container)/\(scope.environment)")
        writer.member("type", Self.type)
        writer.member("datacontenttype", "application/json")
        // An extension: the notifications that this event stands for.
        if push.merged > 1 { writer.member("merged", push.merged) }
        writer.key("data")
        push.payload.sent(within: Limits.pushPayloadBytesMax, push.contents, isVisible: push.isVisible)
            .write(to: &writer)
        writer.endObject()
        return writer.takeBytes()
    }
}
