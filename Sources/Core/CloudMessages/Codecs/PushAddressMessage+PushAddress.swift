package import CloudModel

extension PushAddressMessage {
    /// The message that stands for an address.
    package init(_ address: PushAddress) {
        switch address {
        case .apns(let apns):
            self.init(
                address: .apns(
                    APNSAddressMessage(
                        token: apns.token, environment: apns.environment.rawValue, topic: apns.topic,
                        silentWhenBehind: apns.isSilentWhenBehind)))
        case .webPush(let web):
            self.init(
                address: .webPush(
                    WebPushAddressMessage(
                        endpoint: web.endpoint, publicKey: web.publicKey, authentication: web.authentication,
                        serverKey: web.serverKey, expires: web.expires?.milliseconds, takesSilent: web.takesSilent,
                        silentWhenBehind: web.isSilentWhenBehind)))
        case .webhook(let hook):
            self.init(
                address: .webhook(
                    WebhookAddressMessage(
                        url: hook.url, secrets: hook.secrets, silentWhenBehind: hook.isSilentWhenBehind)))
        }
    }

    /// The address that the message stands for.
    package func pushAddress() throws(MalformedMessage) -> PushAddress {
        switch address {
        case .apns(let apns)?:
            let environment = try required(APNSEnvironment(rawValue: apns.environment), "an environment of APNs")
            return .apns(
                APNSAddress(
                    token: apns.token, environment: environment, topic: apns.topic,
                    isSilentWhenBehind: apns.silentWhenBehind))
        case .webPush(let web)?:
            return .webPush(
                WebPushAddress(
                    endpoint: web.endpoint, publicKey: web.publicKey, authentication: web.authentication,
                    serverKey: web.serverKey, expires: web.expires.map { Timestamp(milliseconds: $0) },
                    takesSilent: web.takesSilent, isSilentWhenBehind: web.silentWhenBehind))
        case .webhook(let hook)?:
            return .webhook(
                WebhookAddress(url: hook.url, secrets: hook.secrets, isSilentWhenBehind: hook.silentWhenBehind))
        case nil: throw MalformedMessage("an address of a kind that this version does not know")
        }
    }
}
