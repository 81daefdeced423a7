import CloudModel
import FanfareCloudKit
import Foundation
import HTTPClient

/// What an operator does with a system that runs.
extension StorySystem {
    /// Runs a command of the program to its end.
    package func run(_ arguments: [String]) async throws -> (code: Int32, output: String, complaints: String) {
        let process = command(arguments, name: RealKafka.unique("command"))
        let (code, output) = try await within(arguments.prefix(2).joined(separator: " ")) {
            try await process.run()
        }
        return (code, output, process.complaints)
    }

    /// Starts the processes again, with more variables of their environment, and waits until they answer.
    package func restart(with settings: [String: String]) async throws {
        for process in processes.values { try process.start(with: settings) }
        try await waitUntilReady([servicePort, matcherPort].compactMap(\.self))
        try await eventually("an answer") { [http, url] in
            let answer = try? await http.send(HTTPClientRequest("GET", "\(url)/openapi.yaml"))
            return answer?.status == 200
        }
    }

    /// The flags of commands that work on the service's store.
    package var storeFlags: [String] {
        ["--data", folder.path("data"), "--container", scope.container.rawValue]
    }

    /// A user of the production environment, signed in with an API token that was made beside the running service.
    package func userInProduction(_ name: String) async throws -> StoryUser {
        let made = try await run(["token", "create"] + storeFlags + ["--environment", "production"])
        guard made.code == 0 else { throw Failed("token create ended with \(made.code): \(made.complaints)") }
        let scope = ContainerEnvironment(container: scope.container, environment: .production)
        let anonymous = CloudService(
            url: url, scope: scope, apiToken: made.output.trimmingCharacters(in: .whitespacesAndNewlines),
            transport: transport)
        let token = try issuer.idToken(
            of: "\(name)-\(UInt32.random(in: 0 ... .max))", for: Self.audience,
            at: Int64(Date().timeIntervalSince1970))
        let (client, record) = try await anonymous.signedIn(idToken: token)
        return StoryUser(client: client, record: record)
    }

    /// Starts one more subscription-matcher on Kafka, which shares the work; the process and its internal port.
    package func startMatcher() async throws -> (process: FanfareProcess, port: Int) {
        let port = Int(try RealKafka.freePorts(1)[0])
        let process = command(
            ["subscription-matcher", "--internal-listen", "127.0.0.1:\(port)"], name: "subscription-matcher-\(port)")
        try process.start()
        Self.leash(process)
        try await waitUntilReady([port])
        return (process, port)
    }

    /// A metric of the processes with these internal ports; 0 where it has not appeared yet.
    package func metric(_ name: String, of ports: [Int]) async throws -> [Double] {
        var values: [Double] = []
        for port in ports {
            let answer = try await http.send(HTTPClientRequest("GET", "http://127.0.0.1:\(port)/metrics"))
            let lines = String(decoding: answer.body, as: UTF8.self).split(separator: "\n")
            let line = lines.first { $0.hasPrefix("\(name) ") }
            values.append(line.flatMap { Double($0.dropFirst(name.count + 1)) } ?? 0)
        }
        return values
    }
}
