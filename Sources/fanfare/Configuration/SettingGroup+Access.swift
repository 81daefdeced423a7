import Settings

extension SettingGroup {
    static let accessSettings: [Setting<Configuration>] = [
        Setting(
            "record-service-principal", \.principals.recordService,
            "who the record-service is to Kafka, such as User:fanfare-record-service; nobody when empty",
            allowed: principal),
        Setting(
            "subscription-matcher-principal", \.principals.subscriptionMatcher,
            "who the subscription-matchers are to Kafka", allowed: principal),
        Setting(
            "device-client-principal", \.principals.deviceClient,
            "who a device-client that reads Kafka itself is", allowed: principal),
        Setting("audit-principal", \.principals.audit, "who runs explain and audit", allowed: principal),
    ]

    @Sendable private static func principal(_ text: String) -> String? {
        let isGood = text.isEmpty || (text.contains(":") && text.allSatisfy { !$0.isNewline })
        return isGood ? nil : "has the form TYPE:NAME, such as User:fanfare, not '\(text)'"
    }
}
