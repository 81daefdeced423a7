import Foundation

// What can change is guarded, as in the class above it.
/// Finds records, a page with each operation.
open class CKQueryOperation: CKDatabaseOperation, @unchecked Sendable {
    /// Leaves the size of a page to the service.
    public static let maximumResults = 0

    /// The place in a query's results where the next page begins.
    public typealias Cursor = CKQueryCursor

    /// The query of a first page.
    @CKGuarded open var query: CKQuery? = nil
    /// The place where a further page begins.
    @CKGuarded open var cursor: Cursor? = nil
    /// The zone to look in; nil is all zones.
    @CKGuarded open var zoneID: CKRecordZone.ID? = nil
    /// The most records of the page; 0 leaves it to the service.
    @CKGuarded open var resultsLimit = CKQueryOperation.maximumResults
    /// The fields to fetch; nil is all.
    @CKGuarded open var desiredKeys: [CKRecord.FieldKey]? = nil
    /// The state that the first page showed, from its first record on: a subscription goes on from it by
    /// `startingFrom`. Nil of further pages, and of anonymous users; not in CloudKit.
    @CKGuarded public private(set) var serverChangeToken: CKServerChangeToken? = nil
    /// Called for each record, in the query's order.
    @CKBlock open var recordMatchedBlock: ((CKRecord.ID, Result<CKRecord, any Error>) -> Void)? = nil
    /// Called for each record, in CloudKit's older form.
    @CKBlock open var recordFetchedBlock: ((CKRecord) -> Void)? = nil
    /// Called at the end, with the place where the next page begins.
    @CKBlock open var queryResultBlock: ((Result<Cursor?, any Error>) -> Void)? = nil
    /// Called at the end, in CloudKit's older form.
    @CKBlock open var queryCompletionBlock: ((Cursor?, (any Error)?) -> Void)? = nil

    /// An operation that finds the first page of a query's records.
    public convenience init(query: CKQuery) {
        self.init()
        self.query = query
    }

    /// An operation that finds a further page.
    public convenience init(cursor: Cursor) {
        self.init()
        self.cursor = cursor
    }

    override func run() async {
        do {
            try Task.checkCancellation()
            guard let start = try cursor ?? query.map({ query throws(CKError) in try Cursor(query, zone: zoneID) })
            else {
                throw CKError(.invalidArguments, "the operation has neither a query nor a cursor")
            }
            let page = try await RecordFetch(database: target, desiredKeys: desiredKeys).page(
                of: start, limit: resultsLimit)
            serverChangeToken = page.state
            for (id, result) in page.results {
                recordMatchedBlock?(id, result)
                if case .success(let record) = result { recordFetchedBlock?(record) }
            }
            queryResultBlock?(.success(page.cursor))
            queryCompletionBlock?(page.cursor, nil)
        } catch {
            let error = CKError(error)
            queryResultBlock?(.failure(error))
            queryCompletionBlock?(nil, error)
        }
    }
}

/// The older name of `CKQueryOperation.maximumResults`.
public let CKQueryOperationMaximumResults = CKQueryOperation.maximumResults
