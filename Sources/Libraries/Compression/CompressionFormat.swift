import CZlib

/// The framing around the compressed bytes.
package enum CompressionFormat: Sendable {
    /// RFC 1952: with a CRC and a length at the end; several members after one another are one content.
    case gzip
    /// RFC 1950: two bytes in front, an Adler checksum at the end; one stream and nothing after it.
    case zlib

    /// zlib's number for the format, with the largest window.
    var windowBits: CInt {
        switch self {
        case .gzip: MAX_WBITS + 16
        case .zlib: MAX_WBITS
        }
    }
}
