import CloudMessages
import CloudModel
import KafkaLog
import Settings
import TextForms

extension Command {
    static let topicsInit = Command(
        name: "topics init", usage: "topics init --bootstrap-servers HOST:PORT",
        summary: "makes the topics of all containers, and corrects the configuration of existing ones",
        settings: [.common, .containers, .log]
    ) { reading in
        let log = try Backends.kafka(reading.configuration)
        let setup = TopicSetup(log: log, configuration: reading.configuration)
        let outcome = try await setup.create()
        let failures = try await setup.configure()
        await log.close()
        Output.line("\(outcome.created) topics made, \(outcome.existed) were there")
        for failure in failures { Output.line(failure) }
        return failures.isEmpty ? ExitCode.done : ExitCode.differences
    }

    static let topicsVerify = Command(
        name: "topics verify", usage: "topics verify --bootstrap-servers HOST:PORT",
        summary: "checks that all topics are there and configured as they should be",
        settings: [.common, .containers, .log]
    ) { reading in
        let log = try Backends.kafka(reading.configuration)
        let differences = try await TopicSetup(log: log, configuration: reading.configuration).differences()
        await log.close()
        for difference in differences { Output.line(difference) }
        if differences.isEmpty { Output.line("all topics are as they should be") }
        return differences.isEmpty ? ExitCode.done : ExitCode.differences
    }

    static let topicsACLs = Command(
        name: "topics acls", usage: "topics acls | KAFKA_BOOTSTRAP_SERVERS=HOST:PORT bash",
        summary:
            "prints the rights that each role of each environment needs on Kafka, as commands of kafka-acls.sh, which adds them",
        settings: [.common, .containers, .access]
    ) { reading in
        let configuration = reading.configuration
        let layouts = configuration.scopes.map { Backends.layout(configuration, $0, isOnKafka: true) }
        let principals = try configuration.principals.checked(configuration.environments.count, layouts)
        let roles = CloudEnvironment.allCases.compactMap { environment -> TopicAccess.Environment? in
            let own = layouts.filter { $0.scope.environment == environment }
            return own.isEmpty ? nil : (TopicAccess(own), principals.of(environment))
        }
        Output.text(TopicAccess.script(roles))
        return ExitCode.done
    }
}

extension Configuration {
    /// `topics acls`: the Kafka principal of each role.
    struct Principals: Sendable {
        var recordService = "User:fanfare-record-service{suffix}"
        var subscriptionMatcher = "User:fanfare-subscription-matcher{suffix}"
        var pushSender = "User:fanfare-push-sender{suffix}"
        var deviceClient = ""
        var audit = ""

        /// In a principal's name: nothing for development, `-production` for production; and the environment's name.
        private static let suffix = "{suffix}"
        private static let environment = "{environment}"

        private var all: [(flag: String, name: String)] {
            [
                ("record-service-principal", recordService), ("subscription-matcher-principal", subscriptionMatcher),
                ("push-sender-principal", pushSender), ("device-client-principal", deviceClient),
                ("audit-principal", audit),
            ]
        }

        /// The principals, if none of them would have rights on both environments.
        fileprivate func checked(_ environments: Int, _ layouts: [TopicLayout]) throws(SettingsError) -> Self {
            for (flag, name) in all where environments > 1 && !name.isEmpty {
                guard !name.holds(Self.suffix), !name.holds(Self.environment) else { continue }
                throw SettingsError(
                    "--\(flag) '\(name)' would have rights on development and production: put {suffix} or {environment} into it, or print the rights of one environment (--environments)"
                )
            }
            // Rights by prefix would reach another container's topics.
            for layout in layouts {
                for other in layouts where other.prefix != layout.prefix && other.prefix.hasPrefix(layout.prefix) {
                    throw SettingsError(
                        "the topics of \(other.scope) begin like those of \(layout.scope), so that rights on these would reach them; give one of the containers another name"
                    )
                }
            }
            return self
        }

        /// The principals of an environment's roles.
        fileprivate func of(_ environment: CloudEnvironment) -> KeyValuePairs<TopicAccess.Role, String> {
            func name(_ text: String) -> String {
                text.exchanging(Self.suffix, for: environment == .production ? "-production" : "")
                    .exchanging(Self.environment, for: environment.rawValue)
            }
            return [
                .recordService: name(recordService), .subscriptionMatcher: name(subscriptionMatcher),
                .pushSender: name(pushSender), .deviceClient: name(deviceClient), .audit: name(audit),
            ]
        }
    }
}

extension SettingGroup {
    static let accessSettings: [Setting<Configuration>] = [
        Setting(
            "record-service-principal", \.principals.recordService,
            "the Kafka principal of an environment's record-service; {suffix} is -production for production and nothing for development, {environment} its name; none if empty",
            allowed: principal),
        Setting(
            "subscription-matcher-principal", \.principals.subscriptionMatcher,
            "the Kafka principal of the subscription-matchers", allowed: principal),
        Setting(
            "push-sender-principal", \.principals.pushSender, "the Kafka principal of the push senders",
            allowed: principal),
        Setting(
            "device-client-principal", \.principals.deviceClient,
            "the Kafka principal of a device-client that reads Kafka itself", allowed: principal),
        Setting("audit-principal", \.principals.audit, "the Kafka principal of explain and audit", allowed: principal),
    ]

    @Sendable private static func principal(_ text: String) -> String? {
        let isGood = text.isEmpty || (text.utf8.contains(UInt8(ascii: ":")) && TerminalText.escaped(text) == text)
        return isGood ? nil : "has the form TYPE:NAME, such as User:fanfare, not '\(text)'"
    }
}
