/// One of the three databases of a container's environment. Raw values are those of CloudKit's native
/// `CKDatabaseScope` (docs/cloudkit.md#numbers-of-databases), not those of the push field `dbs`.
package enum DatabaseScope: Int32, Sendable, CaseIterable, CustomStringConvertible {
    case `public` = 1
    case `private` = 2
    case shared = 3

    /// The name in URLs: `public`, `private` or `shared`.
    package var description: String {
        switch self {
        case .public: "public"
        case .private: "private"
        case .shared: "shared"
        }
    }

    /// Reads the name in a URL.
    package init?(_ text: some StringProtocol) {
        guard let scope = Self.allCases.first(where: { $0.description == text }) else { return nil }
        self = scope
    }
}
