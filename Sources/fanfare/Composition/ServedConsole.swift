import CloudModel
import Console
import HTTPServer
import Identity
import RecordService
import Settings
import WebAPI

/// The console of a process: its mounts, and what they start with once the ports are known.
struct ServedConsole: Sendable {
    let place: ConsoleConfiguration.Place
    /// What the listener with the console serves beside the API; empty where it is off.
    let mounts: [any Mount]
    private let start: ConsoleStart
    private let identities: [IdentityService]

    /// - Throws: `SettingsError` for settings that contradict each other.
    init(_ configuration: Configuration, served: [ServedScope]) throws {
        place = configuration.console.place
        identities = served.map(\.identity)
        start = ConsoleStart(isReadOnly: configuration.console.isReadOnly, operatorsSignIn: false)
        guard place != .off else {
            mounts = []
            return
        }
        mounts = [ConsoleMount(try Self.source(configuration), start: start)]
    }

    /// Shows the containers, with API tokens for pages of the listener.
    func begin(_ ports: PublicPorts, _ configuration: Configuration) async throws {
        guard place != .off else { return }
        let file = "\(configuration.data)/console-tokens.json"
        let keeping = ConsoleTokens.Keeping(
            load: { Files.exists(file) ? try Files.read(file) : nil }, save: { try Files.replace(file, with: $0) })
        let tokens = try await ConsoleTokens(keeping).tokens(
            identities, origins: try Self.origins(ports, configuration))
        start.show(
            identities.compactMap { identity in
                tokens[identity.scope].map { ConsoleStart.Container(identity, apiToken: $0) }
            })
    }

    /// The origins of the console's pages.
    private static func origins(_ ports: PublicPorts, _ configuration: Configuration) throws -> [String] {
        let given =
            ports.console == nil ? configuration.server.publicURL : configuration.console.url
        guard given.isEmpty else { return [try APIToken.origin(APIToken.beginning(of: given))] }
        let scheme = configuration.server.tlsCertificate.isEmpty ? "http" : "https"
        let port = (ports.console ?? ports.api).port
        return try ["127.0.0.1", "[::1]", "localhost"].map { try APIToken.origin("\(scheme)://\($0):\(port)") }
    }

    private static func source(_ configuration: Configuration) throws -> ConsoleMount.Source {
        let folder = configuration.console.files
        guard !folder.isEmpty else { return .embedded }
        let listen =
            if case .own(let address) = configuration.console.place { address } else {
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
