import CloudModel

/// A set of sequences as ranges: neighbours cost nothing.
struct SequenceSet: Hashable {
    /// Ascending, apart from each other by at least one.
    private(set) var ranges: [ClosedRange<Int64>] = []

    init() {}

    /// Reads the stored form: distances between ascending, alternating starts and ends of ranges.
    init(distances: [UInt64]) {
        var position: Int64 = 0
        for index in stride(from: 0, to: distances.count - 1, by: 2) {
            let start = position &+ Int64(bitPattern: distances[index])
            let end = start &+ Int64(bitPattern: distances[index + 1])
            guard start > position || ranges.isEmpty && start == 0, end >= start else { return }
            ranges.append(start...end)
            position = end
        }
    }

    /// The stored form.
    var distances: [UInt64] {
        var position: Int64 = 0
        var result: [UInt64] = []
        for range in ranges {
            result.append(UInt64(range.lowerBound - position))
            result.append(UInt64(range.upperBound - range.lowerBound))
            position = range.upperBound
        }
        return result
    }

    /// Returns true if the set holds a sequence.
    func contains(_ sequence: CommitSequence) -> Bool {
        let index = firstIndex(endingAtOrAfter: sequence.rawValue)
        return index < ranges.count && ranges[index].contains(sequence.rawValue)
    }

    /// Adds a sequence; false when it was there, or when no store gives such a one.
    mutating func insert(_ sequence: CommitSequence) -> Bool {
        let value = sequence.rawValue
        guard value > 0, value < .max else { return false }
        let index = firstIndex(endingAtOrAfter: value)
        if index < ranges.count, ranges[index].contains(value) { return false }
        let joinsLower = index > 0 && ranges[index - 1].upperBound == value - 1
        let joinsUpper = index < ranges.count && ranges[index].lowerBound == value + 1
        switch (joinsLower, joinsUpper) {
        case (true, true):
            ranges[index - 1] = ranges[index - 1].lowerBound...ranges[index].upperBound
            ranges.remove(at: index)
        case (true, false): ranges[index - 1] = ranges[index - 1].lowerBound...value
        case (false, true): ranges[index] = value...ranges[index].upperBound
        case (false, false): ranges.insert(value...value, at: index)
        }
        return true
    }

    /// Removes everything up to and including a sequence.
    mutating func remove(through sequence: CommitSequence) {
        let value = sequence.rawValue
        ranges.removeAll { $0.upperBound <= value }
        if let first = ranges.first, first.lowerBound <= value { ranges[0] = (value + 1)...first.upperBound }
    }

    /// Removes the lowest ranges.
    mutating func removeLowest(_ count: Int) {
        if count > 0 { ranges.removeFirst(min(count, ranges.count)) }
    }

    private func firstIndex(endingAtOrAfter value: Int64) -> Int {
        var low = 0
        var high = ranges.count
        while low < high {
            let middle = (low + high) / 2
            if ranges[middle].upperBound < value { low = middle + 1 } else { high = middle }
        }
        return low
    }
}
