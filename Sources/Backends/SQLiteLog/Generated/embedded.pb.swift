// Written by scripts/generate-messages from embedded.proto: change that file and run it again.
// swift-format-ignore-file

package import ProtocolBuffers

/// A header of an entry.
package struct HeaderMessage: WireMessage {
    package var name: String = ""
    package var value: [UInt8] = []

    package init() {}

    package init(
        name: String = "",
        value: [UInt8] = []
    ) {
        self.name = name
        self.value = value
    }

    package func encode(into writer: inout MessageWriter) {
        if !self.name.isEmpty { writer.write(self.name, field: 1) }
        if !self.value.isEmpty { writer.write(self.value, field: 2) }
    }

    package mutating func decode(from reader: inout MessageReader) throws(MessageError) {
        while let field = try reader.nextField() {
            switch field {
            case 1: self.name = try reader.string()
            case 2: self.value = try reader.bytes()
            default: try reader.skip()
            }
        }
    }
}

/// The headers of an entry.
package struct HeadersMessage: WireMessage {
    package var headers: [HeaderMessage] = []

    package init() {}

    package init(
        headers: [HeaderMessage] = []
    ) {
        self.headers = headers
    }

    package func encode(into writer: inout MessageWriter) {
        writer.write(each: self.headers, field: 1)
    }

    package mutating func decode(from reader: inout MessageReader) throws(MessageError) {
        while let field = try reader.nextField() {
            switch field {
            case 1: try reader.read(appendingTo: &self.headers)
            default: try reader.skip()
            }
        }
    }
}
