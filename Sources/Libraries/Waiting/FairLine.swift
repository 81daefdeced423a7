/// A capacity in units, and the requests that wait for some of it, in lines by key: as a value.
///
/// The next request is the first of the key that holds least, among equals the oldest one, and none passes it: a large
/// request gets its turn. A key that holds its share is skipped until it holds less, and blocks no other.
struct FairLine<Key: Hashable> {
    enum Entry: Equatable {
        case entered
        /// Waits, under this number.
        case waits(UInt64)
        case refused(WaitingRefusal)
    }

    private struct Waiter {
        var number: UInt64
        var units: Int
    }

    private struct Lane {
        var held = 0
        var waiting: [Waiter] = []
    }

    let capacity: Int
    /// The units that one key may hold at once. A larger request gets in while its key holds nothing.
    let share: Int
    /// The number of those who may wait, of one key and of all.
    let waitersOfKey: Int
    let waitersMaximum: Int
    /// The units that are left for others.
    private(set) var room: Int
    private(set) var waitingCount = 0
    private var lanes: [Key: Lane] = [:]
    private var lastNumber: UInt64 = 0

    init(capacity: Int, share: Int, waitersOfKey: Int, waitersMaximum: Int) {
        self.capacity = capacity
        self.share = min(share, capacity)
        self.waitersOfKey = waitersOfKey
        self.waitersMaximum = waitersMaximum
        room = capacity
    }

    /// Returns the units that a request takes: one over the capacity takes all of it.
    func taken(_ units: Int) -> Int { max(0, min(units, capacity)) }

    /// Gets in, in line, or is refused. Nobody else gets in by that.
    mutating func enter(_ key: Key, _ units: Int) -> Entry {
        let units = taken(units)
        lastNumber += 1
        let number = lastNumber
        lanes[key, default: Lane()].waiting.append(Waiter(number: number, units: units))
        waitingCount += 1
        if admit().contains(number) { return .entered }
        let refusal: WaitingRefusal? =
            lanes[key]!.waiting.count > waitersOfKey
            ? .tooManyOfOne : waitingCount > waitersMaximum ? .tooMany : nil
        guard let refusal else { return .waits(number) }
        _ = withdraw(key, number)
        return .refused(refusal)
    }

    /// Returns units; the result has the numbers of the requests that get in now.
    mutating func leave(_ key: Key, _ units: Int) -> [UInt64] {
        let units = taken(units)
        room += units
        lanes[key]?.held -= units
        forget(key)
        return admit()
    }

    /// Leaves the line; nil for a request that is not in it (any more), else the numbers of the requests that get in
    /// now.
    mutating func withdraw(_ key: Key, _ number: UInt64) -> [UInt64]? {
        guard let index = lanes[key]?.waiting.firstIndex(where: { $0.number == number }) else { return nil }
        lanes[key]!.waiting.remove(at: index)
        waitingCount -= 1
        forget(key)
        return admit()
    }

    private mutating func admit() -> [UInt64] {
        var admitted: [UInt64] = []
        while waitingCount > 0, let (key, waiter) = next(), waiter.units <= room {
            lanes[key]!.waiting.removeFirst()
            lanes[key]!.held += waiter.units
            waitingCount -= 1
            room -= waiter.units
            admitted.append(waiter.number)
        }
        return admitted
    }

    /// The one whose turn it is; nil if it is nobody's.
    private func next() -> (key: Key, waiter: Waiter)? {
        var best: (key: Key, waiter: Waiter, held: Int)?
        for (key, lane) in lanes {
            guard let waiter = lane.waiting.first, lane.held == 0 || lane.held + waiter.units <= share else { continue }
            if let best, (best.held, best.waiter.number) < (lane.held, waiter.number) { continue }
            best = (key, waiter, lane.held)
        }
        return best.map { ($0.key, $0.waiter) }
    }

    private mutating func forget(_ key: Key) {
        if let lane = lanes[key], lane.held == 0, lane.waiting.isEmpty { lanes[key] = nil }
    }
}
