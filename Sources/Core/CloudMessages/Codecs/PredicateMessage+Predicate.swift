package import CloudModel

extension PredicateMessage {
    private enum Kind: Int32 { case always = 1, all, any, not, comparison }

    /// The tree as it is stored and published; equal trees give equal bytes.
    package init(_ predicate: Predicate) {
        switch predicate {
        case .always: self.init(kind: Kind.always.rawValue)
        case .all(let parts): self.init(kind: Kind.all.rawValue, parts: parts.map { PredicateMessage($0) })
        case .any(let parts): self.init(kind: Kind.any.rawValue, parts: parts.map { PredicateMessage($0) })
        case .not(let part): self.init(kind: Kind.not.rawValue, parts: [PredicateMessage(part)])
        case .comparison(let comparison):
            self.init(kind: Kind.comparison.rawValue, comparison: ComparisonMessage(comparison))
        }
    }

    /// The tree.
    package func predicate() throws(MalformedMessage) -> Predicate {
        switch try required(Kind(rawValue: kind), "a predicate's kind") {
        case .always: return .always
        case .all: return .all(try predicates())
        case .any: return .any(try predicates())
        case .not: return .not(try required(parts.first, "what a NOT negates").predicate())
        case .comparison: return .comparison(try required(comparison, "a predicate's comparison").comparison())
        }
    }

    private func predicates() throws(MalformedMessage) -> [Predicate] {
        var predicates: [Predicate] = []
        predicates.reserveCapacity(parts.count)
        for part in parts { predicates.append(try part.predicate()) }
        return predicates
    }
}

extension WrittenPredicateMessage {
    /// The predicate string as it is stored and published.
    package init(_ written: WrittenPredicate) {
        self.init(tree: PredicateMessage(written.tree), text: written.text, arguments: written.argumentsJSON)
    }

    /// The predicate string.
    package func written() throws(MalformedMessage) -> WrittenPredicate {
        WrittenPredicate(
            text: text, argumentsJSON: arguments,
            tree: try required(tree, "the tree of a predicate string").predicate())
    }
}
