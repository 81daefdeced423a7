import CloudModel

/// One of a container's databases, as the client's user sees it.
public struct FanfareDatabase: Sendable {
    /// The databases of a container.
    public enum Scope: Sendable {
        /// The database that all users share.
        case `public`
        /// The user's own.
        case `private`
        /// The records that others share with the user.
        case shared

        var noun: DatabaseScope {
            switch self {
            case .public: .public
            case .private: .private
            case .shared: .shared
            }
        }
    }

    let service: CloudService
    let scope: DatabaseScope

    /// Saves records of the default zone; the result of each stands at its place.
    /// - Parameter overwriting: true to save whatever the service has; else a record that was changed meanwhile is refused.
    public func save(
        _ records: [FanfareRecord], overwriting: Bool = false
    ) async throws -> [Result<FanfareRecord, FanfareError>] {
        try await service.modify(records.map { $0.saving(overwriting: overwriting) }, in: scope).map(Self.record)
    }

    /// Saves one record and returns it as the service has it.
    @discardableResult
    public func save(_ record: FanfareRecord, overwriting: Bool = false) async throws -> FanfareRecord {
        try await Self.only(save([record], overwriting: overwriting)).get()
    }

    /// Fetches records of the default zone by name; the result of each stands at its place.
    public func fetch(_ names: [String]) async throws -> [Result<FanfareRecord, FanfareError>] {
        try await service.records(names.map { RecordName(trusted: $0) }, in: scope).map(Self.record)
    }

    /// Fetches one record.
    public func fetch(_ name: String) async throws -> FanfareRecord { try await Self.only(fetch([name])).get() }

    /// Deletes a record, whatever version the service has.
    public func delete(_ name: String) async throws {
        let operation = RecordOperation(kind: .forceDelete, recordName: RecordName(trusted: name))
        if case .failed(_, let error) = try await Self.only(service.modify([operation], in: scope)) {
            throw FanfareError(error)
        }
    }

    /// A page of the records of the default zone that satisfy a query.
    /// - Parameter marker: the marker of the page before; nil is the start.
    /// - Returns: the records, and the marker of the next page; nil after the last.
    public func query(
        _ query: FanfareQuery, limit: Int? = nil, after marker: String? = nil
    ) async throws -> (records: [FanfareRecord], marker: String?) {
        let page = try await service.query(
            query.given, sortedBy: query.givenSorts, in: scope, limit: limit, marker: marker)
        return (page.records.map { FanfareRecord($0) }, page.marker)
    }

    /// Saves a subscription; harmless when it is saved already.
    public func save(_ subscription: FanfareSubscription) async throws {
        _ = try await Self.only(service.modify([.create(subscription.draft)], in: scope)).get()
    }

    /// The IDs of the user's subscriptions in this database.
    public func subscriptionIDs() async throws -> [String] {
        try await service.subscriptions(in: scope).compactMap { $0.id?.rawValue }
    }

    /// Deletes a subscription.
    public func deleteSubscription(_ id: String) async throws {
        _ = try await Self.only(service.modify([.delete(SubscriptionID(trusted: id))], in: scope)).get()
    }

    private static func record(_ result: RecordResult) -> Result<FanfareRecord, FanfareError> {
        switch result {
        case .record(let record): .success(FanfareRecord(record))
        case .deleted(let name):
            .failure(FanfareError(status: 404, code: .notFound, reason: "the record '\(name)' is deleted"))
        case .failed(_, let error): .failure(FanfareError(error))
        }
    }

    /// The one item of an answer to a request with one.
    private static func only<Item>(_ items: [Item]) throws(FanfareError) -> Item {
        guard let item = items.first else {
            throw FanfareError(status: 200, code: nil, reason: "the answer has no item")
        }
        return item
    }
}
