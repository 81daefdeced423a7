import Foundation
import HTTPClient
import JSON
import TestSupport
import Testing

/// The service under test: a running one, at `FANFARE_CONFORMANCE_URL` (with `…_API_TOKEN`, `…_CONTAINER`,
/// `…_ENVIRONMENT`; it must allow sign-ins by name), or `fanfare dev`, started for the tests.
///
/// The suite knows only what an app of CloudKit Web Services knows: URL, container, environment, token.
struct ConformanceService: Sendable {
    let url: String
    let container: String
    let environment: String
    let apiToken: String
    /// A server-to-server key and the file of its private half; nil leaves out the requests that it signs.
    let serverKey: (id: String, file: String)?
    let http = HTTPClient()

    /// The service of this run.
    static func shared() async throws -> ConformanceService { try await started.value }

    private static let started = Task { () async throws -> ConformanceService in
        let environment = ProcessInfo.processInfo.environment
        func given(_ name: String) -> String? { environment["FANFARE_CONFORMANCE_\(name)"] }
        if let url = given("URL") {
            guard let apiToken = given("API_TOKEN"), let container = given("CONTAINER") else {
                throw StorySystem.Failed(
                    "FANFARE_CONFORMANCE_URL needs FANFARE_CONFORMANCE_API_TOKEN and FANFARE_CONFORMANCE_CONTAINER, too"
                )
            }
            let key = given("KEY_ID").flatMap { id in given("KEY_FILE").map { (id: id, file: $0) } }
            return ConformanceService(
                url: url.hasSuffix("/") ? String(url.dropLast()) : url, container: container,
                environment: given("ENVIRONMENT") ?? "development", apiToken: apiToken, serverKey: key)
        }
        let system = try await StorySystem.shared(.embedded)
        let file = URL(fileURLWithPath: system.folder.path("data/dev.json"))
        let json = try JSONValue(parsing: Array(Data(contentsOf: file)))
        let key = json["keyID"]?.string.flatMap { id in json["privateKeyPath"]?.string.map { (id: id, file: $0) } }
        return ConformanceService(
            url: system.url, container: json["container"]?.string ?? "", environment: "development",
            apiToken: system.apiToken, serverKey: key)
    }

    /// The path of an endpoint of a database.
    func path(_ endpoint: String, in database: String) -> String {
        "/database/1/\(container)/\(environment)/\(database)/\(endpoint)"
    }

    /// Sends a request as it is; both it and its answer have to agree with `docs/openapi.yaml`.
    func send(
        _ method: String, _ target: String, _ body: [UInt8]?, headers: [(String, String)]
    ) async throws -> Reply {
        let address = target.hasPrefix("/") ? url + target : target
        let request = HTTPClientRequest(method, address, headers: headers, body: body.map { .bytes($0) } ?? .empty)
        let response = try await http.send(request)
        expectAgreement(Exchange(request, response))
        return Reply(response)
    }

    /// Somebody who has no more than the API token.
    func anonymous() -> Visitor { Visitor(service: self) }

    /// A new user, signed in.
    func user(_ name: String = "user") async throws -> Visitor {
        let unique = "\(name)-\(Unique.text())"
        let visitor = anonymous()
        let reply = try await visitor.post(
            path: "/auth/1/\(container)/\(environment)/signin", ["user": .string(unique)])
        guard let token = reply.json["ckWebAuthToken"]?.string, let record = reply.json["userRecordName"]?.string else {
            throw StorySystem.Failed("nobody can sign in by name here: \(reply)")
        }
        var signedIn = visitor
        signedIn.webAuthToken = token
        signedIn.recordName = record
        signedIn.signInName = unique
        return signedIn
    }
}

/// Names that no other test has.
enum Unique {
    static func text() -> String { String(UInt64.random(in: 0 ... .max), radix: 36) }
    /// A record type.
    static func type() -> String { "T\(text())" }
}
