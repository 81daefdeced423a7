public import Foundation

extension CKOperation {
    /// A name of an operation.
    public typealias ID = String

    /// The container; nil is the default one. The same as in `configuration`, as are those below.
    public var container: CKContainer? {
        get { configuration.container }
        set { configuration.container = newValue }
    }
    /// Has no effect here: every network is used.
    public var allowsCellularAccess: Bool {
        get { configuration.allowsCellularAccess }
        set { configuration.allowsCellularAccess = newValue }
    }
    /// Has no effect here: an operation ends with its program.
    public var isLongLived: Bool {
        get { configuration.isLongLived }
        set { configuration.isLongLived = newValue }
    }
    /// The seconds that one request may take; 60 unless set.
    public var timeoutIntervalForRequest: TimeInterval {
        get { configuration.timeoutIntervalForRequest }
        set { configuration.timeoutIntervalForRequest = newValue }
    }
    /// The seconds that the whole operation may take; a week unless set.
    public var timeoutIntervalForResource: TimeInterval {
        get { configuration.timeoutIntervalForResource }
        set { configuration.timeoutIntervalForResource = newValue }
    }
}

extension CKOperationGroup {
    /// Guesses at sizes, by CloudKit's numbers.
    public enum TransferSize: Int, Sendable {
        /// No guess.
        case unknown = 0
        /// Less than a megabyte.
        case kilobytes
        /// Some megabytes.
        case megabytes
        /// Some tens of megabytes.
        case tensOfMegabytes
        /// Some hundreds of megabytes.
        case hundredsOfMegabytes
        /// Some gigabytes.
        case gigabytes
        /// Some tens of gigabytes.
        case tensOfGigabytes
        /// Some hundreds of gigabytes.
        case hundredsOfGigabytes
    }
}

extension CKContainer {
    /// Calls a handler with no operations: they end with their program.
    @preconcurrency public func fetchAllLongLivedOperationIDs(
        completionHandler: @escaping @Sendable ([CKOperation.ID]?, (any Error)?) -> Void
    ) {
        Callback.two(completionHandler) { try await self.allLongLivedOperationIDs() }
    }

    /// Calls a handler with nil: operations end with their program.
    @preconcurrency public func fetchLongLivedOperation(
        withID operationID: CKOperation.ID, completionHandler: @escaping @Sendable (CKOperation?, (any Error)?) -> Void
    ) {
        Task { completionHandler(nil, nil) }
    }

    /// No operations: they end with their program.
    public func allLongLivedOperationIDs() async throws -> [CKOperation.ID] { [] }

    /// Nil: operations end with their program.
    public func longLivedOperation(for operationID: CKOperation.ID) async throws -> CKOperation? { nil }
}

/// The older name of a guess at a size.
public typealias CKOperationGroupTransferSize = CKOperationGroup.TransferSize
