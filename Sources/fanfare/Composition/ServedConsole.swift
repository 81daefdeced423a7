import CloudModel
import Console
import Cryptography
import EventLog
import FileSystem
import HTTPServer
import Identity
import Inspection
import JSON
import RecordService
import Settings
import Stages
import Telemetry
import TextForms
import WebAPI

/// The console of a process and its operators' API: their mounts, and what they start with once the ports are known.
struct ServedConsole: Sendable {
    /// The facts of the process that operators see.
    struct Process: Sendable {
        var settings: [JSONValue] = []
        var obstacles: @Sendable () async -> [String] = { [] }
        /// Returns the positions that a group has committed.
        var committed: LogEvidence.Committed
    }

    let place: ConsoleConfiguration.Place
    private let configuration: Configuration
    /// Makes codes for operators after their sign-in; nil where none sign in.
    let operatorCodes: APIScope.OperatorCodes?
    private let start: ConsoleStart
    private let sessions: OperatorSessions
    private let source: ConsoleMount.Source
    private let keys: KeyRing
    private let pushTests: ServedPushTests
    private let lag = LoggedLag(own: { StageBoard.shared.statuses })
    private let series: SeriesRecorder
    private let auditor: ServedAuditor
    private let audits: AuditRuns

    /// - Throws: `SettingsError` for settings that contradict each other.
    init(_ configuration: Configuration, keys: KeyRing) throws {
        self.configuration = configuration
        self.keys = keys
        pushTests = ServedPushTests(configuration, keys: keys)
        series = SeriesRecorder(read: { [lag] names in
            var reading = MetricRegistry.shared.reading(of: names)
            lag.add(to: &reading)
            return reading
        })
        auditor = ServedAuditor()
        audits = AuditRuns(
            file: Self.kept("\(configuration.data)/audits.json"), now: { Timestamp.wallClock() }, auditor: auditor.audit
        )
        place = configuration.console.place
        let list = OperatorList(configuration.console.operators, claim: configuration.console.operatorsClaim)
        guard list.isEmpty || !configuration.signIn.oidcIssuer.isEmpty else {
            throw SettingsError(
                "the settings 'operators' and 'operators-claim' need 'oidc-issuer', which proves who they are")
        }
        let signIn = place != .off && !list.isEmpty
        start = ConsoleStart(isReadOnly: configuration.console.isReadOnly, operatorsSignIn: signIn)
        source = try Self.source(configuration)
        sessions = OperatorSessions(
            fixedToken: place == .off ? nil : try Self.operatorToken(configuration),
            file: Self.kept("\(configuration.data)/operator-sessions.json"), now: { Timestamp.wallClock() })
        let known = sessions
        let codes: APIScope.OperatorCodes = { identity, claims in
            known.makeCode(for: try list.operating(identity, claims))
        }
        operatorCodes = signIn ? codes : nil
        if place != .off { LogTail.shared.turnOn() }
    }

    /// The mounts of the listener with the console, beside the API.
    func mounts(
        _ scopes: [APIScope], log: any EventLog, _ process: Process, _ explanations: ServedExplanations
    ) throws -> [any Mount] {
        var system = OperatedSystem(
            version: Build.version, log: log, scopes: scopes, settings: process.settings,
            obstacles: process.obstacles, stages: { StageBoard.shared.statuses },
            explain: explanations.explain)
        lag.begin(scopes.map { LoggedStages(log, $0.records.layout, now: $0.records.now) })
        system.series = series
        auditor.begin(explanations)
        system.audits = audits
        system.testPushes = pushTests.send
        system.secrets = SecretsFile(Backends.keyFile(configuration), following: keys)
        system.way = explanations.way
        let given = Self.url(configuration)
        let origins = given.isEmpty ? [] : [try APIToken.origin(APIToken.beginning(of: given))]
        return [
            ConsoleMount(source, start: start),
            OperatorMount(
                sessions, system, requestsPerSecond: configuration.frontDoor.userRequests, origins: origins,
                isReadOnly: configuration.console.isReadOnly),
        ]
    }

    /// Shows the containers, with API tokens for pages of the listener.
    func begin(_ ports: PublicPorts, _ identities: [IdentityService]) async throws {
        guard place != .off else { return }
        let tokens = try await ConsoleTokens(Self.kept("\(configuration.data)/console-tokens.json")).tokens(
            identities, origins: try origins(ports))
        start.show(
            identities.compactMap { identity in
                tokens[identity.scope].map { ConsoleStart.Container(identity, apiToken: $0) }
            })
    }

    /// Makes a code that begins a session of an operator; nil where there is no console.
    func makeCode() -> String? {
        place == .off ? nil : sessions.makeCode(for: Operator(name: "dev", role: .operator))
    }

    /// Does its work beside requests until the task is cancelled.
    func run() async {
        guard place != .off else { return }
        await withTaskGroup(of: Void.self) { group in
            group.addTask { await lag.run() }
            group.addTask { await series.run() }
        }
    }

    /// Ends its work and its requests to others.
    func close() async {
        audits.close()
        await pushTests.close()
    }

    /// The path of the file with the operator's token, where the process makes one.
    static func ownTokenFile(_ configuration: Configuration) -> String { "\(configuration.data)/operator.token" }

    /// The operator's token of the setting's file; nil without one.
    private static func operatorToken(_ configuration: Configuration) throws -> String? {
        let path = configuration.console.operatorTokenFile
        guard !path.isEmpty else { return nil }
        if path == ownTokenFile(configuration), !Files.exists(path) {
            try Files.makeFolder(configuration.data)
            try Files.replace(path, with: Array((Hexadecimal.encode(SecureRandom.bytes(count: 32)) + "\n").utf8))
        }
        let text = String(decoding: try Files.read(path), as: UTF8.self)
        let token = text.split(whereSeparator: \.isNewline).first.map(String.init) ?? ""
        guard token.utf8.count >= 32 else {
            throw SettingsError("the file '\(path)' of operator-token-file has a token of 32 characters or more")
        }
        return token
    }

    /// A file in the data folder.
    private static func kept(_ path: String) -> KeptFile {
        KeptFile(
            load: { Files.exists(path) ? try Files.read(path) : nil }, save: { try Files.replace(path, with: $0) })
    }

    /// The address of the listener with the console; empty where no setting has one.
    private static func url(_ configuration: Configuration) -> String {
        if case .own = configuration.console.place { return configuration.console.url }
        return configuration.server.publicURL
    }

    /// The origins of the console's pages.
    private func origins(_ ports: PublicPorts) throws -> [String] {
        let given = Self.url(configuration)
        guard given.isEmpty else { return [try APIToken.origin(APIToken.beginning(of: given))] }
        let scheme = configuration.server.tlsCertificate.isEmpty ? "http" : "https"
        let port = (ports.console ?? ports.api).port
        return try ["127.0.0.1", "[::1]", "localhost"].map { try APIToken.origin("\(scheme)://\($0):\(port)") }
    }

    private static func source(_ configuration: Configuration) throws -> ConsoleMount.Source {
        let folder = configuration.console.files
        guard !folder.isEmpty else { return .embedded }
        let listen =
            if case .own(let address) = configuration.console.place {
                address
            } else {
                Address(configuration.server.listen)!
            }
        guard PublicAddress.isLoopback(listen) else {
            throw SettingsError("the setting 'console-files' is for a listener of this machine alone")
        }
        return .folder {
            try Files.files(below: folder).map { ConsoleFile(name: $0, bytes: try Files.read("\(folder)/\($0)")) }
        }
    }
}
