/// A predicate string with what it came to: kept as it was given, so that lists answer it.
package struct WrittenPredicate: Hashable, Sendable {
    /// The string, in NSPredicate's format.
    package var text: String
    /// `predicateArguments` as the request gave it, a JSON text; nil when it gave none.
    package var argumentsJSON: String?
    /// The tree that is evaluated.
    package var tree: Predicate

    package init(text: String, argumentsJSON: String?, tree: Predicate) {
        self.text = text
        self.argumentsJSON = argumentsJSON
        self.tree = tree
    }
}
