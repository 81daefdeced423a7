/// One `name=value` of a query, decoded; a name without `=` has an empty value.
package struct HTTPQueryItem: Sendable, Equatable {
    /// The part before the `=`.
    package var name: String
    /// The part after it.
    package var value: String

    /// An item from its decoded parts.
    package init(name: String, value: String) {
        self.name = name
        self.value = value
    }
}
