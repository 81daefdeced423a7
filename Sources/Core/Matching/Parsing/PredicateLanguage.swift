/// The part of NSPredicate's format that a predicate string may use (`docs/predicates.md`).
package enum PredicateLanguage: Sendable {
    /// CloudKit's subset and Fanfare's additions to it.
    case fanfare
    /// CloudKit's subset alone, so that strings that pass here pass there.
    case cloudKitSubset
}
