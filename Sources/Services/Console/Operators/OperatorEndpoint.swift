import JSON

/// One row of the tables of what operators ask for. `OperatorMount` makes a route of it.
struct OperatorEndpoint: Sendable {
    /// The effect of a request.
    enum Effect: Hashable, Sendable {
        /// Reads what names no user.
        case reads
        /// Reads names of users: each page is noted in the log, without its contents.
        case readsPeople
        /// Changes something in one transaction, which puts the act on record.
        case changes
        /// Changes something in several steps: the first one puts the act on record, and the last one its outcome.
        case changesInSteps

        var isReading: Bool { self == .reads || self == .readsPeople }
    }

    /// The end of its path, as in `users/block`.
    let name: String
    let effect: Effect
    /// The request concerns all containers of the service, so that a right in one of them is not enough.
    let isOfService: Bool
    /// Members of the body that are on record with an act; all if nil.
    let recorded: [String]?
    let work: @Sendable (OperatorCall) async throws -> JSONValue

    init(
        _ name: String, _ effect: Effect, isOfService: Bool = false, recorded: [String]? = nil,
        work: @escaping @Sendable (OperatorCall) async throws -> JSONValue
    ) {
        self.name = name
        self.effect = effect
        self.isOfService = isOfService
        self.recorded = recorded
        self.work = work
    }
}
