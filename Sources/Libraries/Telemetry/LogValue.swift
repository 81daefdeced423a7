/// A value that a log line can carry.
package protocol LogValue: Sendable {
    /// Writes the value as JSON.
    func appendJSON(to line: inout [UInt8])
}

extension String: LogValue {
    package func appendJSON(to line: inout [UInt8]) {
        line.append(UInt8(ascii: "\""))
        for byte in utf8 { LogLine.appendEscaped(byte, to: &line) }
        line.append(UInt8(ascii: "\""))
    }
}

extension Int: LogValue {
    package func appendJSON(to line: inout [UInt8]) { line.append(contentsOf: description.utf8) }
}

extension Int64: LogValue {
    package func appendJSON(to line: inout [UInt8]) { line.append(contentsOf: description.utf8) }
}

extension Int32: LogValue {
    package func appendJSON(to line: inout [UInt8]) { line.append(contentsOf: description.utf8) }
}

extension Bool: LogValue {
    package func appendJSON(to line: inout [UInt8]) { line.append(contentsOf: description.utf8) }
}

extension Double: LogValue {
    package func appendJSON(to line: inout [UInt8]) {
        if isFinite { line.append(contentsOf: description.utf8) } else { description.appendJSON(to: &line) }
    }
}
