/// Outcomes of the tests of an event, so that each distinct test runs once a record for all subscriptions.
///
/// Most events run few tests of short texts, which are cheaper to repeat than to look up: the memo starts after a
/// record has taken some work. Slot, variant, test and the number of the operand name a test, so patterns and trees are
/// kept by content (`NamedPool`). Each distinct pattern walks the whole text once: that is why patterns count eight times
/// in a user's budget.
struct AtomMemo: ~Copyable {
    /// Work, about in bytes looked at, that a record may take before tests are remembered.
    private static let freeWork = 4096

    private var keys = Arena<UInt64>()
    /// The epoch, and the outcome in the lowest bit.
    private var outcomes = Arena<UInt32>()
    private var mask = 63
    private var count = 0
    private var epoch: UInt32 = 1
    private var work = 0

    init() {
        _ = keys.append(0, times: 64)
        _ = outcomes.append(0, times: 64)
    }

    var bytes: Int { keys.bytes + outcomes.bytes }

    /// Forgets everything.
    mutating func removeAll() {
        work = 0
        guard count > 0 else { return }
        count = 0
        epoch += 1
        guard epoch > UInt32.max >> 1 else { return }
        for place in 0...mask { outcomes[place] = 0 }
        epoch = 1
    }

    /// Returns true if tests are remembered from now on; `more` is the work that the next one takes.
    mutating func isWorthwhile(_ more: Int) -> Bool {
        if work > Self.freeWork { return true }
        work += more
        return work > Self.freeWork
    }

    /// The outcome of a test, if it was made.
    func outcome(_ atom: UInt64) -> Bool? {
        var place = Int(truncatingIfNeeded: ByteHash.mixed(atom)) & mask
        while outcomes[place] >> 1 == epoch {
            if keys[place] == atom { return outcomes[place] & 1 == 1 }
            place = (place + 1) & mask
        }
        return nil
    }

    /// Remembers the outcome of a test that was not made yet.
    mutating func remember(_ atom: UInt64, _ outcome: Bool) {
        if count * 2 > mask { grow() }
        insert(atom, epoch << 1 | (outcome ? 1 : 0))
        count += 1
    }

    private func insert(_ atom: UInt64, _ outcome: UInt32) {
        var place = Int(truncatingIfNeeded: ByteHash.mixed(atom)) & mask
        while outcomes[place] >> 1 == epoch { place = (place + 1) & mask }
        keys[place] = atom
        outcomes[place] = outcome
    }

    private mutating func grow() {
        let oldMask = mask
        mask = mask * 2 + 1
        var oldKeys = Arena<UInt64>()
        var oldOutcomes = Arena<UInt32>()
        swap(&oldKeys, &keys)
        swap(&oldOutcomes, &outcomes)
        _ = keys.append(0, times: mask + 1)
        _ = outcomes.append(0, times: mask + 1)
        for place in 0...oldMask where oldOutcomes[place] >> 1 == epoch { insert(oldKeys[place], oldOutcomes[place]) }
    }
}
