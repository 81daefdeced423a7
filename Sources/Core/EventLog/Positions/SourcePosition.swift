/// The name of an output: which input it was made from, and which of that input's outputs it is.
package struct SourcePosition: Hashable, Sendable, CustomStringConvertible {
    /// The input that it was made from.
    package var source: SourceID
    /// The input's offset, or the store's sequence.
    package var offset: Int64
    /// Counts the outputs of one input.
    package var index: Int32

    package init(source: SourceID, offset: Int64, index: Int32 = 0) {
        self.source = source
        self.offset = offset
        self.index = index
    }

    /// Returns true if this one comes after another of the same source.
    package func isAbove(_ other: SourcePosition) -> Bool { (offset, index) > (other.offset, other.index) }

    package var description: String { "\(source):\(offset).\(index)" }
}
