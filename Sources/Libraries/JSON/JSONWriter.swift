/// Writes one JSON text, value by value, straight into bytes.
///
/// An invalid order of the calls, such as a value without a key in an object, is a mistake of the program and ends it;
/// invalid data throws.
package struct JSONWriter: Sendable {
    /// The bytes written so far; a whole text once every object and array was ended.
    package internal(set) var bytes: [UInt8]

    private let pretty: Bool
    /// The open objects (1) and arrays (0), the innermost in the lowest bit.
    private var kinds: UInt64 = 0
    private var depth = 0
    private var needsComma = false
    private var hasKey = false

    /// A writer without bytes; `pretty` puts every member and element on a line of its own, indented by two.
    package init(pretty: Bool = false, capacityBytes: Int = 256) {
        self.pretty = pretty
        bytes = []
        bytes.reserveCapacity(capacityBytes)
    }

    /// A writer whose text comes after bytes that are there already.
    package init(after bytes: consuming [UInt8]) {
        pretty = false
        self.bytes = bytes
    }

    /// Returns the bytes; the writer is empty afterwards.
    package mutating func takeBytes() -> [UInt8] {
        let taken = bytes
        self = JSONWriter(after: [])
        return taken
    }

    /// A place in a text that can be gone back to.
    package struct Mark {
        fileprivate var count: Int
        fileprivate var kinds: UInt64
        fileprivate var depth: Int
        fileprivate var needsComma: Bool
        fileprivate var hasKey: Bool
    }

    /// The place that the writer has come to.
    package var mark: Mark {
        Mark(count: bytes.count, kinds: kinds, depth: depth, needsComma: needsComma, hasKey: hasKey)
    }

    /// Removes the bytes written since a mark.
    package mutating func rewind(to mark: Mark) {
        bytes.removeSubrange(mark.count...)
        kinds = mark.kinds
        depth = mark.depth
        needsComma = mark.needsComma
        hasKey = mark.hasKey
    }

    /// Indicates whether one whole value was written.
    package var isComplete: Bool { depth == 0 && needsComma }

    /// Begins an object; `depthMax` levels are the most.
    package mutating func beginObject() { begin(UInt8(ascii: "{"), kind: 1) }

    /// Ends the object that was begun last.
    package mutating func endObject() { end(UInt8(ascii: "}"), kind: 1) }

    /// Begins an array; `depthMax` levels are the most.
    package mutating func beginArray() { begin(UInt8(ascii: "["), kind: 0) }

    /// Ends the array that was begun last.
    package mutating func endArray() { end(UInt8(ascii: "]"), kind: 0) }

    /// Writes the key of the next value. That no object has one twice is the caller's part.
    package mutating func key(_ key: String) {
        precondition(depth > 0 && kinds & 1 == 1 && !hasKey, "a key belongs into an object, before a value")
        separate()
        quoted(key)
        bytes.append(UInt8(ascii: ":"))
        if pretty { bytes.append(UInt8(ascii: " ")) }
        hasKey = true
    }

    /// The next level's depth is refused: what data decides must ask before it begins one.
    var isDeepest: Bool { depth == JSONValue.depthMax }

    /// Writes the comma or nothing before a value.
    mutating func beginValue() {
        if depth > 0, kinds & 1 == 1 {
            precondition(hasKey, "a value in an object needs a key")
            hasKey = false
        } else {
            precondition(depth > 0 || !needsComma, "a text is one value")
            separate()
        }
        needsComma = true
    }

    private mutating func begin(_ bracket: UInt8, kind: UInt64) {
        precondition(!isDeepest, "no more than \(JSONValue.depthMax) levels")
        beginValue()
        bytes.append(bracket)
        kinds = kinds << 1 | kind
        depth += 1
        needsComma = false
    }

    private mutating func end(_ bracket: UInt8, kind: UInt64) {
        precondition(depth > 0 && kinds & 1 == kind && !hasKey, "an end without a beginning, or after a key")
        kinds >>= 1
        depth -= 1
        if pretty, needsComma { newLine() }
        bytes.append(bracket)
        needsComma = true
    }

    private mutating func separate() {
        if needsComma { bytes.append(UInt8(ascii: ",")) }
        if pretty, depth > 0 { newLine() }
    }

    private mutating func newLine() {
        bytes.append(UInt8(ascii: "\n"))
        bytes.append(contentsOf: repeatElement(UInt8(ascii: " "), count: 2 * depth))
    }
}
