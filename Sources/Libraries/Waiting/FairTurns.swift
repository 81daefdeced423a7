/// Elements in lanes by key, taken in turns: deficit round robin over what each costs, which is known once it was done.
///
/// A lane whose credit is used up is passed over until the others have had as much. Elements of one lane come in order.
/// A lane that becomes empty forgets its debt, so that memory is bounded by the waiting elements: a key with one element
/// at a time takes turns with the others.
package struct FairTurns<Key: Hashable, Element> {
    private struct Lane {
        var waiting: [Element] = []
        /// The elements at the front that were taken.
        var taken = 0
        var credit: Int

        var isEmpty: Bool { taken == waiting.count }

        mutating func removeFirst() -> Element {
            defer {
                taken += 1
                if taken > 32, taken * 2 > waiting.count {
                    waiting.removeFirst(taken)
                    taken = 0
                }
            }
            return waiting[taken]
        }
    }

    /// The cost that a lane may run up in one round.
    package let quantum: Int
    /// The number of elements that wait.
    package private(set) var count = 0
    private var lanes: [Key: Lane] = [:]
    /// The keys of the lanes, in the order of their turns.
    private var order: [Key] = []
    private var turn = 0

    /// - Parameter quantum: in the unit of the costs; 1 or more.
    package init(quantum: Int) { self.quantum = max(1, quantum) }

    /// Adds an element behind those of its key.
    package mutating func append(_ element: Element, for key: Key) {
        if lanes[key] == nil {
            lanes[key] = Lane(credit: quantum)
            order.append(key)
        }
        lanes[key]!.waiting.append(element)
        count += 1
    }

    /// Returns true if an element of a key waits.
    package func hasElements(of key: Key) -> Bool { lanes[key].map { !$0.isEmpty } ?? false }

    /// Takes the next element; nil when none waits.
    package mutating func next() -> (key: Key, element: Element)? {
        guard let key = nextKey() else { return nil }
        count -= 1
        return (key, lanes[key]!.removeFirst())
    }

    /// The key of the next element; nil when none waits.
    package mutating func nextKey() -> Key? {
        guard count > 0 else { return nil }
        var passed = 0
        while true {
            if turn >= order.count { turn = 0 }
            if passed == order.count {
                renew()
                passed = 0
            }
            let key = order[turn]
            if lanes[key]!.isEmpty {
                lanes[key] = nil
                order.remove(at: turn)
            } else if lanes[key]!.credit <= 0 {
                turn += 1
                passed += 1
            } else {
                return key
            }
        }
    }

    /// Takes all elements that wait.
    package mutating func removeAll() -> [Element] {
        defer { self = FairTurns(quantum: quantum) }
        return order.flatMap { lanes[$0]!.waiting.dropFirst(lanes[$0]!.taken) }
    }

    /// Charges an element that was taken, and ends its key's turn if that used up the credit.
    package mutating func charge(_ cost: Int, to key: Key) { lanes[key]?.credit -= cost }

    /// Gives all lanes so many rounds that one may go on.
    private mutating func renew() {
        let most = order.reduce(Int.min) { max($0, lanes[$1]!.credit) }
        let rounds = (quantum - most) / quantum
        for key in order { lanes[key]!.credit = min(quantum, lanes[key]!.credit + rounds * quantum) }
    }
}
