import CloudModel
import TextForms

/// Makes requests to APNs. Pure.
struct APNSRequests {
    /// `https://` and host of each environment, and the port if it is not 443.
    let origins: [APNSEnvironment: String]
    /// The topic of devices that name none.
    let topic: String?

    /// The topic of a device's pushes; nil where neither the device nor the container has one.
    func topic(of address: APNSAddress) -> String? { address.topic ?? topic }

    /// The request of a push.
    /// - Parameter token: the provider's; nil where the connection's certificate takes its place.
    func request(_ push: OutgoingPush, to address: APNSAddress, token: String?) throws(PushRefusal) -> PushRequest {
        guard let topic = topic(of: address) else {
            throw PushRefusal(.misconfigured(PushFailure(reason: APNSReason.missingTopic.rawValue)))
        }
        guard !topic.isEmpty, topic.utf8.allSatisfy({ (0x21...0x7e).contains($0) }) else {
            throw PushRefusal(dropping: APNSReason.badTopic.rawValue)
        }
        guard !address.token.isEmpty else { throw PushRefusal(dropping: APNSReason.missingDeviceToken.rawValue) }
        guard let origin = origins[address.environment] else {
            throw PushRefusal(.misconfigured(PushFailure(reason: "no-host")))
        }
        let payload = push.payload.sent(
            within: Limits.pushPayloadBytesMax, push.contents, isVisible: push.isVisible)
        let delivery = payload.delivery
        var headers: [(name: String, value: String)] = []
        if let token { headers.append(("authorization", "bearer \(token)")) }
        headers += [
            ("apns-id", push.id.description), ("apns-topic", topic), ("apns-push-type", delivery.pushType.rawValue),
            ("apns-priority", "\(delivery.priority)"),
            // 0 is "now or never".
            ("apns-expiration", "\(push.isReadMark ? 0 : max(0, push.expires.milliseconds / 1000))"),
        ]
        if let collapseID = push.apnsCollapseID { headers.append(("apns-collapse-id", collapseID)) }
        return PushRequest(
            url: "\(origin)/3/device/\(Hexadecimal.encode(address.token))", headers: headers, body: payload.bytes)
    }
}
