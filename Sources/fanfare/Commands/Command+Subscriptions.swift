import CloudCalls
import CloudModel
import FileSystem
import Inspection
import JSON
import Settings

extension Command {
    static let subscriptionsList = Command(
        name: "subscriptions list",
        usage: "subscriptions list --url URL --api-token TOKEN --user NAME [--database NAME] [--json]",
        summary: "lists a user's subscriptions in a database",
        settings: [.common, .containers, .target, .client, .watching]
    ) { reading in
        let configuration = reading.configuration
        let client = try await Clients.signedIn(configuration)
        let database = try Clients.database(configuration)
        for subscription in try await client.subscriptionsJSON(in: database).array ?? [] {
            Output.line(
                configuration.printing.isJSON
                    ? String(decoding: try subscription.serialized(), as: UTF8.self)
                    : SubscriptionText.line(subscription))
        }
        return ExitCode.done
    }

    static let subscriptionsTest = Command(
        name: "subscriptions test",
        usage:
            "subscriptions test FILE --url URL --api-token TOKEN --user NAME [--database NAME] [--changes-max NUMBER] [--parse-only] [--nearly] [--record NAME] [--json]",
        summary:
            "shows what a subscription (JSON, as subscriptions/modify takes it) would have fired on; saves nothing",
        settings: [.common, .containers, .target, .client, .watching, .trying], takesWords: true
    ) { reading in
        let configuration = reading.configuration
        guard let path = reading.operands.first, reading.operands.count == 1 else {
            throw SettingsError("give one file with a subscription")
        }
        let subscription: JSONValue
        do {
            subscription = try JSONValue(parsing: try Files.read(path))
        } catch let error as JSONError {
            throw SettingsError("\(path) is no JSON: \(error)")
        }
        let item = try await Clients.signedIn(configuration).test(
            subscription, with: configuration.trying.members, in: try Clients.database(configuration))
        if configuration.printing.isJSON {
            Output.line(String(decoding: try item.serialized(), as: UTF8.self))
        } else {
            for line in SubscriptionText.test(item) { Output.line(line) }
        }
        return item["serverErrorCode"] == nil ? ExitCode.done : ExitCode.failed
    }
}

extension Configuration {
    /// `subscriptions test`.
    struct Trying: Sendable {
        var changesMax = Limits.testChangesMax
        var isParseOnly = false
        var findsNear = false
        var record = ""
        var zone = ZoneName.defaultZone.rawValue

        /// The members of the operation.
        var members: JSONObject {
            var json: JSONObject = ["changesMax": .integer(Int64(changesMax))]
            if isParseOnly { json["parseOnly"] = true }
            if findsNear { json["nearly"] = true }
            if !record.isEmpty {
                json["record"] = ["recordName": .string(record), "zoneID": ["zoneName": .string(zone)]]
            }
            return json
        }
    }
}

extension SettingGroup {
    static let trialSettings: [Setting<Configuration>] = [
        Setting("changes-max", \.trying.changesMax, "the latest changes that are looked at, 1 to 1000") { number in
            (1...Limits.testChangesMax).contains(number) ? nil : "is 1 to \(Limits.testChangesMax), not \(number)"
        },
        Setting("parse-only", \.trying.isParseOnly, "checks the subscription and looks at no changes"),
        Setting(
            "nearly", \.trying.findsNear, "lists changes on which it would have fired but for one comparison, too"),
        Setting("record", \.trying.record, "a record for which the outcome of each comparison is printed"),
        Setting("zone", \.trying.zone, "the zone of that record"),
    ]

    static let watchingSettings: [Setting<Configuration>] = [
        Setting("database", \.client.database, "public, private or shared") { text in
            DatabaseScope(text) == nil ? "is public, private or shared, not '\(text)'" : nil
        }
    ]
}
