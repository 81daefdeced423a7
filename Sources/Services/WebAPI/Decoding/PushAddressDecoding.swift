import CloudJSON
import CloudModel
import JSON
import TextForms

/// Reads the addresses of pushes from bodies. What an address has to be is the use case's; errors never show its value.
package enum PushAddressDecoding {
    /// The one of `apns`, `webPush` and `webhook` that a body has.
    /// - Parameter serverKey: the key that a browser's subscription is made with; nil where none is sent to.
    static func address(_ body: JSONPath, serverKey: [UInt8]?) throws(CloudError) -> PushAddress {
        let given = CourierKind.addressed.filter { body[$0.rawValue] != nil }
        guard given.count == 1, let kind = given.first else {
            throw .badRequest("the body needs one of 'apns', 'webPush' and 'webhook'")
        }
        let json = try body.required(kind.rawValue).object()
        // It has to be a Boolean also where it says nothing.
        let silent = try body["silent"]?.bool() ?? false
        var address: PushAddress
        switch kind {
        case .apns: address = .apns(try apns(json))
        case .webPush:
            guard let serverKey else { throw .badRequest("this service sends no Web Push") }
            address = .webPush(try webPush(json, serverKey, silent: silent))
        default: address = .webhook(try webhook(json))
        }
        address.isSilentWhenBehind = try isSilentWhenBehind(body)
        return address
    }

    private static func isSilentWhenBehind(_ body: JSONPath) throws(CloudError) -> Bool {
        guard let json = body["whenBehind"] else { return false }
        switch try json.string() {
        case "newest": return false
        case "silent": return true
        default: throw .badRequest("\(json.path) is newest or silent")
        }
    }

    /// The part of a notification that pushes may have: all, unless the body says otherwise.
    static func contents(_ body: JSONPath) throws(CloudError) -> PushContents {
        guard let json = body["contents"] else { return .full }
        guard let contents = PushContents(rawValue: try json.string()) else {
            throw .badRequest("\(json.path) is full or none")
        }
        return contents
    }

    /// A kind by its name.
    static func kind(_ name: String, path: String) throws(CloudError) -> CourierKind {
        guard let kind = CourierKind.addressed.first(where: { $0.rawValue == name }) else {
            throw .badRequest("\(path) is apns, webPush or webhook")
        }
        return kind
    }

    /// An environment of APNs by its name.
    static func environment(_ json: JSONPath) throws(CloudError) -> APNSEnvironment {
        let name = try json.string()
        guard let environment = APNSEnvironment(rawValue: name) else {
            throw .badRequest("\(json.path) is development or production, not '\(name)'")
        }
        return environment
    }

    private static func apns(_ json: JSONPath) throws(CloudError) -> APNSAddress {
        let text = try json.required("token")
        guard let token = Hexadecimal.decode(try text.string()) else {
            throw .badRequest("\(text.path) has hexadecimal digits, two for each byte")
        }
        return APNSAddress(
            token: token, environment: try environment(json.required("environment")),
            topic: try json["topic"]?.string())
    }

    private static func webPush(
        _ json: JSONPath, _ serverKey: [UInt8], silent: Bool
    ) throws(CloudError) -> WebPushAddress {
        let keys = try json.required("keys").object()
        return WebPushAddress(
            endpoint: try json.required("endpoint").string(), publicKey: try bytes(keys.required("p256dh")),
            authentication: try bytes(keys.required("auth")), serverKey: serverKey,
            expires: try json.member("expirationTime", time), takesSilent: silent)
    }

    private static func webhook(_ json: JSONPath) throws(CloudError) -> WebhookAddress {
        let url = try json.required("url").string()
        guard let secret = json["secret"] else { return WebhookAddress(url: url, secrets: []) }
        let text = try secret.string()
        guard text.hasPrefix(secretPrefix),
            let bytes = Base64.standard.decode(String(text.dropFirst(secretPrefix.count)))
        else { throw .badRequest("\(secret.path) is \(secretPrefix) and base64, as Standard Webhooks has it") }
        return WebhookAddress(url: url, secrets: [bytes])
    }

    /// The text of a webhook's secret.
    package static func text(ofSecret secret: [UInt8]) -> String { secretPrefix + Base64.standard.encode(secret) }

    private static let secretPrefix = "whsec_"

    /// Browsers give milliseconds that need not be whole.
    private static func time(_ json: JSONPath) throws(CloudError) -> Timestamp {
        let milliseconds = json.value.integer ?? json.value.number.flatMap { Int64(exactly: $0.rounded(.down)) }
        guard let milliseconds else { throw json.wrong("a time in milliseconds") }
        return Timestamp(milliseconds: milliseconds)
    }

    private static func bytes(_ json: JSONPath) throws(CloudError) -> [UInt8] {
        guard let bytes = Base64.url.decode(try json.string()) else {
            throw .badRequest("\(json.path) is base64url without padding")
        }
        return bytes
    }
}
