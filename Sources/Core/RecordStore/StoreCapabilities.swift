/// The limits of a store, which its users plan by.
package struct StoreCapabilities: Hashable, Sendable {
    /// Lists of keys, ranges and lists of words in one `IndexCondition` at most.
    package var conditionPartsMax: Int
    /// Single keys and names in one `IndexCondition` at most.
    package var conditionKeysMax: Int
    /// True if writes run beside each other, here or in other processes: the state that a write sees then says nothing
    /// of lower sequences that are still to be committed.
    package var isShared = false

    package init(conditionPartsMax: Int, conditionKeysMax: Int) {
        self.conditionPartsMax = conditionPartsMax
        self.conditionKeysMax = conditionKeysMax
    }
}
