/// One `name=value` of a query, decoded; a name without `=` has an empty value.
package struct HTTPQueryItem: Sendable, Equatable {
    package var name: String
    package var value: String

    package init(name: String, value: String) {
        self.name = name
        self.value = value
    }
}
