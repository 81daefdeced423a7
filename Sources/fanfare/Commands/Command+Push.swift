import CloudModel
import Cryptography
import JSON
import Push
import RecordService
import Settings
import TextForms
import Waiting

/// Sets providers of pushes up, and tries them.
extension Command {
    static let pushKeys = Command(
        name: "push keys", usage: "push keys [--data DIR] [--token-key-file FILE] [--json]",
        summary:
            "shows the public parts of what pushes are sent with, and makes the key of Web Push where there is none",
        settings: [.common, .containers, .store, .push, .listing]
    ) { reading in
        let configuration = reading.configuration
        let apns = try APNSCredentials.all(configuration)
        for scope in configuration.scopes {
            let key = Base64.url.encode(try PushProviders.vapidKeys(configuration, scope).current.publicPoint)
            let file = VAPIDTokens.file(beside: Backends.keyFile(configuration), scope)
            var json: JSONObject = [
                "container": .string(scope.container.rawValue), "environment": .string(scope.environment.rawValue),
                "webPush": ["applicationServerKey": .string(key), "file": .string(file)],
            ]
            // A key that is none is an error here already.
            _ = try apns[scope]?.proof.tokens()
            if let credentials = apns[scope] { json["apns"] = .object(credentials.json) }
            guard !configuration.printing.isJSON else {
                Output.line(String(decoding: try JSONValue.object(json).serialized(), as: UTF8.self))
                continue
            }
            Output.line("\(scope)")
            Output.line("  Web Push  \(key)  \(file)")
            Output.line("  APNs      \(apns[scope].map { "\($0)" } ?? "no key")")
        }
        return ExitCode.done
    }

    static let pushTest = Command(
        name: "push test", usage: "push test --device ID \(LogCommand.usage) [--token-key-file FILE] [--json]",
        summary: "sends one push to each address of a device, past its queue, and shows what each provider answered",
        settings: [.common, .containers, .store, .log, .push, .target, .tryingPushes, .listing]
    ) { reading in
        var configuration = reading.configuration
        // As `fanfare dev` has it, whose log this is.
        if configuration.bootstrapServers.isEmpty, reading.sources["push-loopback"] == nil {
            configuration.push.allowsLoopback = true
        }
        guard let device = try? DeviceID(configuration.tryingPushes.device) else {
            throw SettingsError("--device names the device, as devices/list and 'fanfare devices list' show it")
        }
        let providers = try PushProviders(configuration)
        return try await Task.closing({ await providers.close() }) { [configuration] in
            try await tryPushes(to: device, providers, configuration)
        }
    }

    private static func tryPushes(
        to device: DeviceID, _ providers: PushProviders, _ configuration: Configuration
    ) async throws -> Int32 {
        let scope = try configuration.target
        let seals = PushAddressSeals(try Backends.keys(configuration, mayMake: false), scope: scope)
        return try await LogCommand.run(configuration) { log, _ in
            let trial = PushTrial(
                container: scope.container, providers: providers.providers[scope] ?? [],
                open: { try seals.open($0, of: $1, $2, $3).address })
            let results = try await trial.run(
                PushTrial.entries(of: device, on: log, Backends.layout(configuration, scope)), now: .wallClock())
            if results.isEmpty {
                Output.error("\(device) has no address in \(scope): register one with devices/push")
            }
            for result in results {
                if configuration.printing.isJSON {
                    Output.line(String(decoding: try JSONValue.object(result.json).serialized(), as: UTF8.self))
                } else {
                    for line in result.lines { Output.line(line) }
                }
            }
            let isGood = !results.isEmpty && results.allSatisfy { $0.outcome?.isAccepted == true }
            return isGood ? ExitCode.done : ExitCode.failed
        }
    }
}

extension Configuration {
    /// `push test`: the device.
    struct TryingPushes: Sendable {
        var device = ""
    }
}

extension SettingGroup {
    static let pushTestSettings: [Setting<Configuration>] = [
        Setting("device", \.tryingPushes.device, "the ID of the device")
    ]
}

extension APNSCredentials: CustomStringConvertible {
    /// The public parts.
    var json: JSONObject {
        var json: JSONObject = [:]
        switch proof {
        case .key(let file, let id, let team):
            json = ["keyFile": .string(file), "keyID": .string(id), "teamID": .string(team)]
        case .certificate(let file, _): json = ["certificateFile": .string(file)]
        }
        if let topic { json["topic"] = .string(topic) }
        return json
    }

    var description: String {
        let proof =
            switch proof {
            case .key(let file, let id, let team): "key \(id) of team \(team)  \(file)"
            case .certificate(let file, _): "certificate  \(file)"
            }
        return "\(proof)  \(topic ?? "no topic of its own")"
    }
}

extension PushTrial.Result {
    var lines: [String] {
        let lines = ["\(kind): registered \(registered.iso8601) by \(user)"]
        guard let line, let id else { return lines + ["  \(sentence)"] }
        return lines + ["  sent to \(line) as \(id)", "  \(sentence)"]
    }
}
