/// How much of NSPredicate's format a predicate string may use (`docs/predicates.md`).
package enum PredicateLanguage: Sendable {
    /// CloudKit's subset and what Fanfare adds to it.
    case fanfare
    /// Only what CloudKit takes, so that what passes here passes there.
    case cloudKitSubset
}
