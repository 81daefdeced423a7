/// The search for a part of a text, in time of the two lengths together (Knuth, Morris and Pratt).
enum TextSearch {
    /// Returns true if a text holds a part.
    static func contains(_ text: String, _ part: String) -> Bool {
        contains(text.utf8, Array(part.utf8))
    }

    static func contains(_ text: some Swift.Sequence<UInt8>, _ part: some RandomAccessCollection<UInt8>) -> Bool {
        let part = Array(part)
        guard !part.isEmpty else { return true }
        // The length of the longest proper prefix of part that ends at each byte.
        var borders = Array(repeating: 0, count: part.count)
        var length = 0
        for index in part.indices.dropFirst() {
            while length > 0, part[index] != part[length] { length = borders[length - 1] }
            if part[index] == part[length] { length += 1 }
            borders[index] = length
        }
        length = 0
        for byte in text {
            while length > 0, byte != part[length] { length = borders[length - 1] }
            if byte == part[length] { length += 1 }
            if length == part.count { return true }
        }
        return false
    }
}
