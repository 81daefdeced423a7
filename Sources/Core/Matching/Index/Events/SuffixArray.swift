#if canImport(Glibc)
    import Glibc
#endif

/// The sorted suffixes of a text, by which any part of it is found in time of the part and the logarithm of the text.
/// Built in linear time for any text (SA-IS: Nong, Zhang and Chan, 2009).
final class SuffixArray {
    private let places: [Int32]

    /// For a text of less than 2 GiB.
    init(_ text: UnsafeBufferPointer<UInt8>) {
        places = text.isEmpty ? [] : Self.sorted(text.map { Int32($0) }, upper: 255)
    }

    /// Bytes that it takes.
    var bytes: Int { places.count * 4 }

    /// Returns true if the text, which has to be the one that this was made of, holds a part.
    func finds(_ part: UnsafeBufferPointer<UInt8>, in text: UnsafeBufferPointer<UInt8>) -> Bool {
        guard !part.isEmpty else { return true }
        guard part.count <= text.count, let base = text.baseAddress, let sought = part.baseAddress else { return false }
        return places.withUnsafeBufferPointer { places in
            var low = 0
            var high = places.count
            while low < high {
                let middle = (low + high) / 2
                let start = Int(places[middle])
                let common = min(part.count, text.count - start)
                let order = memcmp(base + start, sought, common)
                if order < 0 || order == 0 && common < part.count { low = middle + 1 } else { high = middle }
            }
            guard low < places.count else { return false }
            let start = Int(places[low])
            return text.count - start >= part.count && memcmp(base + start, sought, part.count) == 0
        }
    }

    /// The places of a row of numbers from 0 to `upper`, by the order of the suffixes that begin there.
    fileprivate static func sorted(_ row: [Int32], upper: Int) -> [Int32] {
        row.withUnsafeBufferPointer { SuffixSorting(row: $0, upper: upper).sorted() }
    }
}

/// One level of the induced sorting.
private struct SuffixSorting {
    let row: UnsafeBufferPointer<Int32>
    let upper: Int
    private let count: Int
    /// For each place, true if the suffix that begins there comes before the next one.
    private let isSmaller: [Bool]
    private var largeStarts: [Int32]
    private var smallStarts: [Int32]

    init(row: UnsafeBufferPointer<Int32>, upper: Int) {
        self.row = row
        self.upper = upper
        let count = row.count
        self.count = count
        var isSmaller = [Bool](repeating: false, count: count)
        for index in stride(from: count - 2, through: 0, by: -1) {
            isSmaller[index] = row[index] == row[index + 1] ? isSmaller[index + 1] : row[index] < row[index + 1]
        }
        var large = [Int32](repeating: 0, count: upper + 2)
        var small = [Int32](repeating: 0, count: upper + 2)
        for index in 0..<count {
            if isSmaller[index] { large[Int(row[index]) + 1] += 1 } else { small[Int(row[index])] += 1 }
        }
        for value in 0...upper {
            small[value] += large[value]
            large[value + 1] += small[value]
        }
        self.isSmaller = isSmaller
        largeStarts = large
        smallStarts = small
    }

    func sorted() -> [Int32] {
        if count == 1 { return [0] }
        var numbers = [Int32](repeating: -1, count: count + 1)
        var leftmost: [Int32] = []
        for index in 1..<count where !isSmaller[index - 1] && isSmaller[index] {
            numbers[index] = Int32(leftmost.count)
            leftmost.append(Int32(index))
        }
        var places = [Int32](repeating: -1, count: count)
        induce(leftmost, &places)
        guard !leftmost.isEmpty else { return places }
        var ordered = places.filter { $0 >= 0 && numbers[Int($0)] >= 0 }
        let (names, last) = named(ordered, leftmost, numbers)
        let inner = SuffixArray.sorted(names, upper: last)
        for index in ordered.indices { ordered[index] = leftmost[Int(inner[index])] }
        induce(ordered, &places)
        return places
    }

    /// The numbers of the pieces between leftmost places by their order, and the greatest of them.
    private func named(_ ordered: [Int32], _ leftmost: [Int32], _ numbers: [Int32]) -> ([Int32], Int) {
        var names = [Int32](repeating: 0, count: leftmost.count)
        var last = 0
        func end(_ place: Int) -> Int {
            let next = Int(numbers[place]) + 1
            return next < leftmost.count ? Int(leftmost[next]) : count
        }
        for index in ordered.indices.dropFirst() {
            var (left, right) = (Int(ordered[index - 1]), Int(ordered[index]))
            let (leftEnd, rightEnd) = (end(left), end(right))
            var isSame = leftEnd - left == rightEnd - right
            if isSame {
                while left < leftEnd, row[left] == row[right] {
                    left += 1
                    right += 1
                }
                if right >= count || left >= count || row[left] != row[right] { isSame = false }
            }
            if !isSame { last += 1 }
            names[Int(numbers[Int(ordered[index])])] = Int32(last)
        }
        return (names, last)
    }

    private func induce(_ leftmost: [Int32], _ places: inout [Int32]) {
        places.withUnsafeMutableBufferPointer { places in
            places.update(repeating: -1)
            var next = smallStarts
            for place in leftmost {
                let value = Int(row[Int(place)])
                places[Int(next[value])] = place
                next[value] += 1
            }
            next = largeStarts
            let end = Int(row[count - 1])
            places[Int(next[end])] = Int32(count - 1)
            next[end] += 1
            for index in 0..<count {
                let place = Int(places[index])
                guard place >= 1, !isSmaller[place - 1] else { continue }
                let value = Int(row[place - 1])
                places[Int(next[value])] = Int32(place - 1)
                next[value] += 1
            }
            next = largeStarts
            for index in stride(from: count - 1, through: 0, by: -1) {
                let place = Int(places[index])
                guard place >= 1, isSmaller[place - 1] else { continue }
                let value = Int(row[place - 1]) + 1
                next[value] -= 1
                places[Int(next[value])] = Int32(place - 1)
            }
        }
    }
}
