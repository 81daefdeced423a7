import CloudModel
import KafkaLog
import Settings

extension Command {
    static let topicsInit = Command(
        name: "topics init", usage: "topics init --bootstrap-servers HOST:PORT",
        summary: "makes the topics of all containers; of those that exist it mends what is configured for them",
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
        summary: "prints the rights that each role needs on Kafka, as commands of kafka-acls.sh, which adds them",
        settings: [.common, .containers, .access]
    ) { reading in
        let configuration = reading.configuration
        let access = TopicAccess(configuration.scopes.map { Backends.layout(configuration, $0) })
        let principals = configuration.principals
        Output.line(
            access.script(principals: [
                .recordService: principals.recordService, .subscriptionMatcher: principals.subscriptionMatcher,
                .deviceClient: principals.deviceClient, .audit: principals.audit,
            ]))
        return ExitCode.done
    }
}
