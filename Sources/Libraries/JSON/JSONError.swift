/// The reason, with its place, why bytes are no JSON that this module reads, or a value none that it writes.
package struct JSONError: Error, Equatable {
    /// The position of the error in bytes from 0, in the input or in the written output.
    package let byteOffset: Int
    /// The line of the fault, from 1.
    package let line: Int
    /// The column of the fault in Unicode scalars, from 1.
    package let column: Int
    /// The error, without the position.
    package let message: String

    /// An error at a byte of a text, of which it takes line and column.
    init(_ message: String, at byteOffset: Int, of text: UnsafeRawBufferPointer) {
        var line = 1
        var column = 1
        for byte in text[..<min(byteOffset, text.count)] {
            if byte == UInt8(ascii: "\n") {
                line += 1
                column = 1
            } else if byte & 0xc0 != 0x80 {
                column += 1
            }
        }
        self.byteOffset = byteOffset
        self.line = line
        self.column = column
        self.message = message
    }
}

extension JSONError: CustomStringConvertible {
    /// One sentence with the place.
    package var description: String { "line \(line), column \(column) (byte \(byteOffset)): \(message)" }
}
