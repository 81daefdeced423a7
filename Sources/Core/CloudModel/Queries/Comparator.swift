/// How a filter compares a field with its value.
package enum Comparator: Int32, Sendable, CaseIterable, CustomStringConvertible {
    case equals = 1
    case notEquals = 2
    case lessThan = 3
    case lessThanOrEquals = 4
    case greaterThan = 5
    case greaterThanOrEquals = 6
    case `in` = 7
    case beginsWith = 8
    case listContains = 9

    /// CloudKit's name of the comparator.
    package var description: String {
        switch self {
        case .equals: "EQUALS"
        case .notEquals: "NOT_EQUALS"
        case .lessThan: "LESS_THAN"
        case .lessThanOrEquals: "LESS_THAN_OR_EQUALS"
        case .greaterThan: "GREATER_THAN"
        case .greaterThanOrEquals: "GREATER_THAN_OR_EQUALS"
        case .in: "IN"
        case .beginsWith: "BEGINS_WITH"
        case .listContains: "LIST_CONTAINS"
        }
    }

    /// Reads CloudKit's name of a comparator.
    package init?(name: String) {
        guard let comparator = Self.allCases.first(where: { $0.description == name }) else { return nil }
        self = comparator
    }
}
