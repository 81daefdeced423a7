/// The way a filter compares a field with its value (docs/cloudkit.md#dictionaries).
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
    case near = 10
    case containsAllTokens = 11
    case containsAnyTokens = 12
    case notIn = 13
    case notBeginsWith = 14
    case notListContains = 15
    case listContainsAny = 16
    case notListContainsAny = 17
    case listContainsAll = 18
    case notListContainsAll = 19
    case listMemberBeginsWith = 20
    case notListMemberBeginsWith = 21

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
        case .near: "NEAR"
        case .containsAllTokens: "CONTAINS_ALL_TOKENS"
        case .containsAnyTokens: "CONTAINS_ANY_TOKENS"
        case .notIn: "NOT_IN"
        case .notBeginsWith: "NOT_BEGINS_WITH"
        case .notListContains: "NOT_LIST_CONTAINS"
        case .listContainsAny: "LIST_CONTAINS_ANY"
        case .notListContainsAny: "NOT_LIST_CONTAINS_ANY"
        case .listContainsAll: "LIST_CONTAINS_ALL"
        case .notListContainsAll: "NOT_LIST_CONTAINS_ALL"
        case .listMemberBeginsWith: "LIST_MEMBER_BEGINS_WITH"
        case .notListMemberBeginsWith: "NOT_LIST_MEMBER_BEGINS_WITH"
        }
    }

    /// Reads CloudKit's name of a comparator.
    package init?(name: String) {
        guard let comparator = Self.allCases.first(where: { $0.description == name }) else { return nil }
        self = comparator
    }

    /// The comparator that this one is the negation of; nil for one that is no negation.
    package var negated: Comparator? {
        switch self {
        case .notEquals: .equals
        case .notIn: .in
        case .notBeginsWith: .beginsWith
        case .notListContains: .listContains
        case .notListContainsAny: .listContainsAny
        case .notListContainsAll: .listContainsAll
        case .notListMemberBeginsWith: .listMemberBeginsWith
        default: nil
        }
    }

    /// Indicates whether `fieldValue` is a list, with its type spelt out.
    package var takesList: Bool {
        switch negated ?? self {
        case .in, .listContainsAny, .listContainsAll: true
        default: false
        }
    }

    /// Indicates whether it looks into a list field.
    package var isOfLists: Bool {
        switch negated ?? self {
        case .listContains, .listContainsAny, .listContainsAll, .listMemberBeginsWith: true
        default: false
        }
    }

    /// Indicates whether it looks for words.
    package var isOfWords: Bool { self == .containsAllTokens || self == .containsAnyTokens }
}
