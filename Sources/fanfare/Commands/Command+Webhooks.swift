import CloudModel
import Cryptography
import FileSystem
import Identity
import JSON
import RecordService
import RecordStore
import Settings
import WebAPI

/// Webhooks of server-to-server keys. A key has no session and so no devices: an operator registers one with a webhook
/// for it, and the key's subscriptions in the public database are sent there.
extension Command {
    static let webhooksCreate = Command(
        name: "webhooks create",
        usage:
            "webhooks create --server-key KEYID --webhook-url URL [--contents full|none] --data DIR [--container NAME] [--environment NAME] [--json]",
        summary:
            "sends what a server-to-server key's subscriptions notify of to a URL; prints the device and, once, the secret that signs",
        settings: administrating + [.pushAddresses, .webhooks]
    ) { reading in
        let configuration = reading.configuration
        guard let contents = PushContents(rawValue: configuration.webhooks.contents) else {
            throw SettingsError("--contents is full or none")
        }
        var options = RecordService.Options()
        options.refusalOfURL = push(reading).refusal
        let keys = try Backends.keys(configuration, mayMake: false)
        return try await StoreCommand.run(reading, options: options, keys: keys) { served in
            let user = try await served.identity.user(ofServerKey: configuration.webhooks.key)
            let caller = Caller(user: user)
            let device = try await served.records.registerDevice(nil, name: "webhook", platform: "server", for: caller)
            do {
                let hook = PushAddress.webhook(WebhookAddress(url: configuration.webhooks.url, secrets: []))
                let made = try await served.records.registerPush(
                    hook, contents: contents, on: device.id, for: caller)
                let secret = PushAddressDecoding.text(ofSecret: made.secret ?? [])
                Output.line(
                    configuration.printing.isJSON
                        ? try text(["deviceID": .string(device.id.rawValue), "secret": .string(secret)])
                        : "\(device.id) \(secret)")
                return ExitCode.done
            } catch {
                try await served.records.unregisterDevice(device.id, for: caller)
                throw error
            }
        }
    }

    static let webhooksList = Command(
        name: "webhooks list", usage: "webhooks list --data DIR [--container NAME] [--environment NAME] [--json]",
        summary: "lists the webhooks of server-to-server keys, and what became of the last requests",
        settings: administrating
    ) { reading in
        let keys = try Backends.keys(reading.configuration, mayMake: false)
        let isJSON = reading.configuration.printing.isJSON
        return try await StoreCommand.run(reading, keys: keys) { served in
            for key in try await served.identity.listServerKeys() {
                let user = try await served.identity.user(ofServerKey: key.id)
                for hook in try await served.records.webhooks(of: user) {
                    Output.line(try line(hook, of: key.id, isJSON: isJSON))
                }
            }
            return ExitCode.done
        }
    }

    static let webhooksRemove = Command(
        name: "webhooks remove",
        usage: "webhooks remove DEVICEID --data DIR [--container NAME] [--environment NAME] [--json]",
        summary: "removes a webhook of a server-to-server key: nothing more is sent to it",
        settings: administrating, takesWords: true
    ) { reading in
        let operand = try StoreCommand.operand(reading, "one device, as webhooks list shows it")
        return try await StoreCommand.run(reading) { served in
            let id = try DeviceID(operand)
            for key in try await served.identity.listServerKeys() {
                let user = try await served.identity.user(ofServerKey: key.id)
                guard try await served.records.webhooks(of: user).contains(where: { $0.device == id }) else { continue }
                try await served.records.unregisterDevice(id, for: Caller(user: user))
                Output.line(
                    reading.configuration.printing.isJSON
                        ? try text(["deviceID": .string(id.rawValue), "deleted": true]) : "\(id) removed")
                return ExitCode.done
            }
            Output.error("no server-to-server key has the webhook '\(id)'; fanfare webhooks list shows those there are")
            return ExitCode.failed
        }
    }

    /// The settings of addresses, as the service that is served from the folder has them: `fanfare dev` takes this
    /// machine.
    private static func push(_ reading: SettingsTable<Configuration>.Reading) -> PushConfiguration {
        var push = reading.configuration.push
        let isDev = Files.exists("\(reading.configuration.data)/dev.json")
        if isDev, reading.sources["push-loopback"] == nil { push.allowsLoopback = true }
        return push
    }

    private static func line(_ hook: ListedWebhook, of key: String, isJSON: Bool) throws -> String {
        guard isJSON else {
            let url = hook.url ?? "sealed by a key that is gone"
            return "\(hook.device)  key \(key)  \(url)  \(StandingText.words(hook.stored))"
        }
        guard case .object(var json) = PushAddressJSON.address(hook.stored) else { return "" }
        json["deviceID"] = .string(hook.device.rawValue)
        json["keyID"] = .string(key)
        if let url = hook.url { json["url"] = .string(url) }
        return try text(json)
    }

    private static func text(_ json: JSONObject) throws -> String {
        String(decoding: try JSONValue.object(json).serialized(), as: UTF8.self)
    }
}

extension Configuration {
    /// `webhooks create`.
    struct Webhooks: Sendable {
        var key = ""
        var url = ""
        var contents = PushContents.full.rawValue
    }
}

extension SettingGroup {
    static let webhookSettings: [Setting<Configuration>] = [
        Setting("server-key", \.webhooks.key, "the server-to-server key, by its ID as key list shows it"),
        Setting(
            "webhook-url", \.webhooks.url, "where its notifications are sent; the host has to be one of webhook-hosts"),
        Setting("contents", \.webhooks.contents, "full, or none to send no value of a record"),
    ]
}
