/// How long the headers say the body is: the one question on which a proxy and a server must never differ.
enum BodyFraming: Equatable {
    case none
    case length(Int)
    case chunked
    /// The headers can be read in two ways; who answers such a request may answer one that was smuggled inside it.
    case ambiguous

    /// Two lengths, a length beside an encoding and unknown encodings are refused here, as libmicrohttpd takes them all.
    init(_ headers: HTTPHeaders, isHTTP10: Bool) {
        var length: ArraySlice<UInt8>?
        var encoding: ArraySlice<UInt8>?
        for field in headers.fields {
            if headers.matches(field, "content-length") {
                if length != nil {
                    self = .ambiguous
                    return
                }
                length = headers.valueBytes(field)
            } else if headers.matches(field, "transfer-encoding") {
                if encoding != nil {
                    self = .ambiguous
                    return
                }
                encoding = headers.valueBytes(field)
            }
        }
        switch (length, encoding) {
        case (nil, nil): self = .none
        case (let digits?, nil): self = Self.parse(digits)
        case (nil, let encoding?) where !isHTTP10 && Self.isChunked(encoding): self = .chunked
        default: self = .ambiguous
        }
    }

    private static func parse(_ digits: ArraySlice<UInt8>) -> BodyFraming {
        guard !digits.isEmpty, digits.count < 19 else { return .ambiguous }
        var value = 0
        for digit in digits {
            guard case UInt8(ascii: "0")...UInt8(ascii: "9") = digit else { return .ambiguous }
            value = value * 10 + Int(digit - UInt8(ascii: "0"))
        }
        return value == 0 ? .none : .length(value)
    }

    private static func isChunked(_ value: ArraySlice<UInt8>) -> Bool {
        value.count == 7 && zip(value, "chunked".utf8).allSatisfy { $0 | 0x20 == $1 }
    }
}
