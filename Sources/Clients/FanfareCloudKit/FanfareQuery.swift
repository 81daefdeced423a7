import CloudModel

/// Records of one type that satisfy a predicate.
public struct FanfareQuery: Hashable, Sendable {
    /// One of the fields that order the results.
    public struct Sort: Hashable, Sendable {
        /// The name of the field.
        public var field: String
        /// True for the smallest value first.
        public var isAscending: Bool

        /// An order by a field.
        public init(field: String, isAscending: Bool = true) {
            self.field = field
            self.isAscending = isAscending
        }
    }

    /// The type of the records.
    public var recordType: String
    /// The condition in the format of `NSPredicate`, with `%@` for each argument; nil is all records of the type.
    public var predicate: String?
    /// The values of the predicate's arguments.
    public var arguments: [FanfareValue]
    /// The order of the results; empty is the order of creation.
    public var sorts: [Sort]

    /// A query.
    public init(
        recordType: String, where predicate: String? = nil, _ arguments: [FanfareValue] = [], sorts: [Sort] = []
    ) {
        self.recordType = recordType
        self.predicate = predicate
        self.arguments = arguments
        self.sorts = sorts
    }

    var given: GivenQuery {
        GivenQuery(
            recordType: RecordType(trusted: recordType), filters: [],
            predicate: predicate.map { text in
                GivenPredicate(text: text, arguments: arguments.map { .value($0.given) })
            })
    }

    var givenSorts: [CloudModel.Sort] {
        sorts.map { CloudModel.Sort(field: .field(FieldName(trusted: $0.field)), isAscending: $0.isAscending) }
    }
}
