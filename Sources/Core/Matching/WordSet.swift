/// Different words by their bytes, in one block of memory: a text of 900 KB has 150,000 words, and often few that
/// differ.
struct WordSet {
    private struct Place {
        var hash: Int
        var start: Int
        var count: Int
    }

    private var bytes: [UInt8] = []
    private var places: [Place] = []
    /// Numbers of places by hash, open addressing; -1 for none. As many as a power of two, at most half of them used.
    private var slots = [Int32](repeating: -1, count: 64)

    /// The number of words.
    var count: Int { places.count }

    /// Adds a word, unless it is there.
    mutating func insert(_ word: UnsafeBufferPointer<UInt8>) {
        var hasher = Hasher()
        hasher.combine(bytes: UnsafeRawBufferPointer(word))
        let hash = hasher.finalize()
        var slot = hash & (slots.count - 1)
        while slots[slot] >= 0 {
            if places[Int(slots[slot])].hash == hash, holds(word, at: places[Int(slots[slot])]) { return }
            slot = (slot + 1) & (slots.count - 1)
        }
        slots[slot] = Int32(places.count)
        places.append(Place(hash: hash, start: bytes.count, count: word.count))
        bytes.append(contentsOf: word)
        if places.count * 2 > slots.count { grow() }
    }

    /// The words in the order of their bytes.
    func sorted() -> [String] {
        bytes.withUnsafeBufferPointer { bytes in
            places.map { UnsafeBufferPointer(rebasing: bytes[$0.start..<$0.start + $0.count]) }
                .sorted { $0.ordered(to: $1) < 0 }
                .map { String(decoding: $0, as: UTF8.self) }
        }
    }

    private func holds(_ word: UnsafeBufferPointer<UInt8>, at place: Place) -> Bool {
        place.count == word.count
            && bytes.withUnsafeBufferPointer { bytes in
                UnsafeBufferPointer(rebasing: bytes[place.start..<place.start + place.count]).ordered(to: word) == 0
            }
    }

    private mutating func grow() {
        slots = [Int32](repeating: -1, count: slots.count * 2)
        for (number, place) in places.enumerated() {
            var slot = place.hash & (slots.count - 1)
            while slots[slot] >= 0 { slot = (slot + 1) & (slots.count - 1) }
            slots[slot] = Int32(number)
        }
    }
}
