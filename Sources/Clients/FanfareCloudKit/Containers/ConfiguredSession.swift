import CloudModel
import Foundation

/// A container's sign-in, with the configuration of the calls that are made by it.
struct ConfiguredSession: Sendable {
    let shared: CloudSession
    /// The patience of calls; nil leaves it to each request.
    var defaults: Patience?

    /// The configuration of the container.
    var configuration: CKContainer.Configuration? { shared.configuration }
    /// The folder of downloaded files.
    var files: URL { shared.files }

    /// Calls a function, as `CloudSession.call` does, with the time-outs of the configuration. Those of an operation go
    /// before them.
    /// - Throws: `CKError`.
    func call<Value: Sendable>(
        repeating repetition: CloudSession.Repetition = .always,
        _ body: @escaping @Sendable (CloudSession.SignedIn) async throws -> Value
    ) async throws -> Value {
        guard let defaults, CallSettings.requestSeconds == nil else {
            return try await shared.call(repeating: repetition, body)
        }
        return try await CallSettings.$requestSeconds.withValue(defaults.requestLimit) {
            try await defaults.limited { try await shared.call(repeating: repetition, body) }
        }
    }

    /// Registers the device, once.
    func device() async throws -> DeviceID { try await shared.device() }

    /// Forgets that the device is registered.
    func forgetDevice() async { await shared.forgetDevice() }

    /// The same with a configuration of calls, over the one there is.
    func configured(_ configuration: CKOperation.Configuration?, _ group: CKOperationGroup?) -> ConfiguredSession {
        let own = (configuration?.patience ?? Patience()).over(group?.defaultConfiguration.patience, defaults)
        return ConfiguredSession(shared: shared, defaults: own)
    }
}

extension CKDatabase {
    /// Calls a function with this database and a configuration, whose time-outs hold for each request of the database's
    /// calls and for operations that are added to it.
    public func configuredWith<Result>(
        configuration: CKOperation.Configuration? = nil, group: CKOperationGroup? = nil,
        body: (CKDatabase) throws -> Result
    ) rethrows -> Result {
        try body(CKDatabase(session: session.configured(configuration, group), scope: databaseScope))
    }

    /// Gives an asynchronous function this database with a configuration.
    public func configuredWith<Result>(
        configuration: CKOperation.Configuration? = nil, group: CKOperationGroup? = nil,
        body: (CKDatabase) async throws -> Result
    ) async rethrows -> Result {
        try await body(CKDatabase(session: session.configured(configuration, group), scope: databaseScope))
    }
}

extension CKContainer {
    /// Calls a function with this container and a configuration, whose time-outs hold for each request of the
    /// container's and its databases' calls and for operations that are added to it.
    public func configuredWith<Result>(
        configuration: CKOperation.Configuration? = nil, group: CKOperationGroup? = nil,
        body: (CKContainer) throws -> Result
    ) rethrows -> Result {
        try body(CKContainer(session: session.configured(configuration, group)))
    }

    /// Gives an asynchronous function this container with a configuration.
    public func configuredWith<Result>(
        configuration: CKOperation.Configuration? = nil, group: CKOperationGroup? = nil,
        body: (CKContainer) async throws -> Result
    ) async rethrows -> Result {
        try await body(CKContainer(session: session.configured(configuration, group)))
    }
}
