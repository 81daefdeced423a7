@testable import HTTPServer

/// Bytes cut into a request as a lenient reader would: the code under test judges the parts.
struct GivenRequest {
    private(set) var method: ArraySlice<UInt8>
    private(set) var target: ArraySlice<UInt8>
    private(set) var fields: [(name: ArraySlice<UInt8>, value: ArraySlice<UInt8>)] = []
    private(set) var body: [UInt8]
    /// The head itself, and whether each of its lines ends in CR and LF and none is continued.
    let head: [UInt8]
    private(set) var isProper = true
    private(set) var version: Range<Int>
    /// The places of names and values in the head.
    private(set) var places: [(name: Range<Int>, value: Range<Int>)] = []

    init(_ bytes: [UInt8]) {
        let end = bytes.firstRange(of: Array("\r\n\r\n".utf8))?.upperBound ?? bytes.count
        head = Array(bytes[..<end])
        body = Array(bytes[end...])
        isProper = end >= 4 && head.suffix(4).elementsEqual("\r\n\r\n".utf8) && !head.contains(0)
        var lines: [Range<Int>] = []
        var start = 0
        for index in head.indices where head[index] == UInt8(ascii: "\n") {
            let isPair = index > start && head[index - 1] == UInt8(ascii: "\r")
            if !isPair { isProper = false }
            lines.append(start..<(isPair ? index - 1 : index))
            start = index + 1
        }
        // A CR alone is a line's end to some.
        if head.count(where: { $0 == 13 }) != head.count(where: { $0 == 10 }) { isProper = false }
        if start < head.count { lines.append(start..<head.count) }
        let first = lines.first ?? 0..<0
        let words = head[first].split(separator: UInt8(ascii: " "), maxSplits: 2, omittingEmptySubsequences: false)
        method = words.first ?? []
        target = words.count > 1 ? words[1] : []
        version = words.count > 2 ? words[2].indices : first.upperBound..<first.upperBound
        for line in lines.dropFirst() where !line.isEmpty {
            let colon = head[line].firstIndex(of: UInt8(ascii: ":")) ?? line.upperBound
            let value = head[min(colon + 1, line.upperBound)..<line.upperBound].drop { $0 == 0x20 || $0 == 0x09 }
            fields.append((head[line.lowerBound..<colon], value))
            places.append((line.lowerBound..<colon, value.indices))
            if colon == line.upperBound || colon == line.lowerBound { isProper = false }
        }
    }
}

/// Writes NULs where libmicrohttpd does, and passes its view to `HeaderLines`: proper lines are accepted, and it reads
/// no byte outside of the head.
func checkLines(_ request: GivenRequest) {
    guard !request.places.isEmpty else { return }
    var bytes = request.head
    // What it reads beyond the last line is the empty one, which a head that was cut short does not have.
    bytes += [0, 0, 0, 0]
    for index in request.head.indices where bytes[index] == UInt8(ascii: "\r") || bytes[index] == UInt8(ascii: "\n") {
        bytes[index] = 0
    }
    for place in request.places where place.name.upperBound < request.head.count { bytes[place.name.upperBound] = 0 }
    bytes.withUnsafeBytes { memory in
        guard let base = memory.baseAddress else { return }
        func text(_ offset: Int) -> UnsafePointer<CChar> { (base + offset).assumingMemoryBound(to: CChar.self) }
        var lines = HeaderLines(version: text(request.version.lowerBound))
        for place in request.places {
            lines.take(
                name: text(place.name.lowerBound), count: place.name.count, value: text(place.value.lowerBound),
                valueCount: place.value.count)
        }
        lines.finish(base + request.head.count)
        precondition(lines.areProper || !request.isProper, "proper lines are refused")
    }
}
