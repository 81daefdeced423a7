public import Foundation
import JSON

extension CKContainer {
    /// The address of a container and the user whom an app acts for. CloudKit takes both from the system.
    public struct Configuration: Sendable {
        /// A container's two environments, which share nothing.
        public enum Environment: String, Sendable {
            /// The one in which fields and types come by themselves.
            case development
            /// The one whose schema is fixed.
            case production
        }

        /// The way in which an app's user signs in.
        public enum SignIn: Sendable {
            /// No user: the public database can be read.
            case nobody
            /// A user by name, where the service allows that for development.
            case developmentUser(String)
            /// A web auth token that the app has.
            case webAuthToken(String)
            /// An ID token of the service's issuer; asked for again when the sign-in has ended.
            case idToken(@Sendable () async throws -> String)
        }

        /// The service's address, such as `https://cloud.example.com`.
        public var url: String
        /// The container's identifier.
        public var containerIdentifier: String
        /// The environment.
        public var environment: Environment
        /// Lets the app in; the service's operator makes it.
        public var apiToken: String
        /// The way in which the user signs in.
        public var signIn: SignIn
        /// The device's ID: 1 to 64 letters, digits, `-` and `_`; nil has one made, and kept in `stateFolder`.
        public var deviceID: String?
        /// The device's name, for people.
        public var deviceName = ""
        /// The folder in which the device's ID and downloaded files are kept; nil is one of the system's for the user.
        public var stateFolder: URL?
        /// The most requests that are sent for one, where a request fails that may be repeated.
        public var attemptsMax = 5
        /// The longest pause that the service may ask for between two attempts, in seconds; for a longer one the app
        /// gets the error.
        public var pauseSecondsMax: Double = 20
        /// Carries requests.
        public var transport: any FanfareTransport

        /// A configuration.
        public init(
            url: String, containerIdentifier: String, environment: Environment = .production, apiToken: String,
            signIn: SignIn = .nobody, deviceID: String? = nil,
            transport: any FanfareTransport = URLSessionTransport()
        ) {
            self.url = url
            self.containerIdentifier = containerIdentifier
            self.environment = environment
            self.apiToken = apiToken
            self.signIn = signIn
            self.deviceID = deviceID
            self.transport = transport
        }
    }
}

extension CKContainer.Configuration {
    /// The configuration from environment variables: `FANFARE_URL`, `FANFARE_CONTAINER`, `FANFARE_ENVIRONMENT`,
    /// `FANFARE_API_TOKEN`, `FANFARE_USER` or `FANFARE_WEB_AUTH_TOKEN`, `FANFARE_DEVICE`; missing ones come from the
    /// file that `FANFARE_CLIENT_CONFIGURATION` names, such as the `dev.json` of `fanfare dev`.
    /// - Throws: `CKError` with `badContainer` that names the missing variable.
    public init(environment variables: [String: String]) throws(CKError) {
        let file = try Self.file(variables["FANFARE_CLIENT_CONFIGURATION"])
        func value(_ variable: String, _ member: String) throws(CKError) -> String {
            guard let value = variables[variable] ?? file?[member]?.string else {
                throw CKError(
                    .badContainer,
                    "no container is configured: call CKContainer.configure, or set \(variable), or "
                        + "FANFARE_CLIENT_CONFIGURATION to a JSON file with \(member)")
            }
            return value
        }
        let name = variables["FANFARE_ENVIRONMENT"] ?? file?["environment"]?.string ?? "development"
        guard let environment = Environment(rawValue: name) else {
            throw CKError(.badContainer, "the environment '\(name)' is neither development nor production")
        }
        self.init(
            url: try value("FANFARE_URL", "url"), containerIdentifier: try value("FANFARE_CONTAINER", "container"),
            environment: environment, apiToken: try value("FANFARE_API_TOKEN", "apiToken"))
        deviceID = variables["FANFARE_DEVICE"] ?? file?["device"]?.string
        if let token = variables["FANFARE_WEB_AUTH_TOKEN"] ?? file?["webAuthToken"]?.string {
            signIn = .webAuthToken(token)
        } else if let user = variables["FANFARE_USER"] ?? file?["user"]?.string {
            signIn = .developmentUser(user)
        }
    }

    private static func file(_ path: String?) throws(CKError) -> JSONValue? {
        guard let path else { return nil }
        do {
            return try JSONValue(parsing: Array(try Data(contentsOf: URL(fileURLWithPath: path))))
        } catch {
            throw CKError(.badContainer, "FANFARE_CLIENT_CONFIGURATION: \(path) cannot be read: \(error)")
        }
    }
}
