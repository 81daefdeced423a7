/// A query as a request gives it, before the schema decides about fields and the types of values.
/// `QueryValidator` in `Matching` makes a `Query` of it.
package struct GivenQuery: Hashable, Sendable {
    /// The type of the records that are looked at.
    package var recordType: RecordType
    /// The entries of `filterBy`, all of which have to hold.
    package var filters: [GivenFilter]
    /// The predicate string, which has to hold beside them.
    package var predicate: GivenPredicate?

    package init(recordType: RecordType, filters: [GivenFilter], predicate: GivenPredicate? = nil) {
        self.recordType = recordType
        self.filters = filters
        self.predicate = predicate
    }
}

/// A predicate string that has not been read yet.
package struct GivenPredicate: Hashable, Sendable {
    /// An argument of the predicate: replaces one `%@` or `%K`.
    package enum Argument: Hashable, Sendable {
        case value(GivenValue)
        /// JSON's null: `nil` in a comparison.
        case null
    }

    /// The string, in NSPredicate's format.
    package var text: String
    /// The arguments for its `%@` and `%K`, in their order.
    package var arguments: [Argument]
    /// The arguments as the request gave them, a JSON text; nil when it gave none.
    package var argumentsJSON: String?

    package init(text: String, arguments: [Argument] = [], argumentsJSON: String? = nil) {
        self.text = text
        self.arguments = arguments
        self.argumentsJSON = argumentsJSON
    }
}
