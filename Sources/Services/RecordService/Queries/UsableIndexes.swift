import CloudModel
import RecordStore

extension IndexPlanner {
    /// The indexes that a query with the predicate can begin with, each of which finds all of its records and others; one
    /// entry for each field. None where the query walks over all records of the type.
    func usable(for predicate: Predicate) -> [SubscriptionTest.UsedIndex] {
        var used: [SubscriptionTest.UsedIndex] = []
        for condition in conditions(for: predicate) {
            for index in self.indexes(of: condition) where !used.contains(index) { used.append(index) }
        }
        return used
    }

    private func indexes(of condition: IndexCondition) -> [SubscriptionTest.UsedIndex] {
        switch condition {
        case .keys(let id, equal: _, within: _): field(of: id).map { [$0] } ?? []
        case .names: [.init(field: .system(.recordName), index: .queryable)]
        case .words: [.init(field: .searchableTexts, index: .searchable)]
        case .any(let parts): parts.flatMap { indexes(of: $0) }
        }
    }

    private func field(of id: IndexID) -> SubscriptionTest.UsedIndex? {
        for field in SystemField.allCases where id == .system(field, type: indexes.number) {
            return .init(field: .system(field), index: .queryable)
        }
        for (name, field) in indexes.fields {
            if id == .order(field: field.number) { return .init(field: .field(name), index: .sortable) }
            if id == .equality(field: field.number) { return .init(field: .field(name), index: .queryable) }
        }
        return nil
    }
}
