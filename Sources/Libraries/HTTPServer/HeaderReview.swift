/// The findings of one walk over the headers of a request.
struct HeaderReview {
    /// The length of the body by its headers: the one question on which a proxy and a server must never differ.
    enum Framing: Equatable {
        case none
        case length(Int)
        case chunked
        /// They can be read in two ways; an answer to such a request may be the answer to one smuggled inside it.
        case ambiguous

        /// The announced size in bytes; nil when there is none to go by.
        var announced: Int? {
            switch self {
            case .none: 0
            case .length(let bytes): bytes
            case .chunked, .ambiguous: nil
            }
        }
    }

    private(set) var framing = Framing.none
    /// Indicates whether every name is a token, every value free of control characters, and the host a host and stated
    /// once at most. A name like `Transfer-Encoding ` is one header to us and another to a proxy.
    private(set) var isWellFormed = true

    /// Two lengths, a length with an encoding, and unknown encodings are ambiguous, though libmicrohttpd accepts them
    /// all.
    /// - Parameter areLinesProper: the result of `HeaderLines`; lines that can be read in two ways make the headers
    ///   ambiguous.
    init(_ headers: HTTPHeaders, isHTTP10: Bool, areLinesProper: Bool = true) {
        isWellFormed = areLinesProper
        var hosts = 0
        var lengths = 0
        var encodings = 0
        headers.forEach { name, value in
            if !HTTPGrammar.isToken(name) || !HTTPGrammar.isFieldValue(value) { isWellFormed = false }
            switch name.count {
            case 4 where HTTPHeaders.isSame(name, "host"):
                hosts += 1
                if !HTTPGrammar.isAuthority(value) { isWellFormed = false }
            case 14 where HTTPHeaders.isSame(name, "content-length"):
                lengths += 1
                framing = Self.parse(value)
            case 17 where HTTPHeaders.isSame(name, "transfer-encoding"):
                encodings += 1
                framing = HTTPHeaders.isSame(value, "chunked") && !isHTTP10 ? .chunked : .ambiguous
            default: break
            }
        }
        if hosts > 1 { isWellFormed = false }
        if lengths + encodings > 1 || !areLinesProper && framing != .none { framing = .ambiguous }
    }

    private static func parse(_ digits: UnsafeBufferPointer<UInt8>) -> Framing {
        guard !digits.isEmpty, digits.count < 19 else { return .ambiguous }
        var value = 0
        for digit in digits {
            guard case UInt8(ascii: "0")...UInt8(ascii: "9") = digit else { return .ambiguous }
            value = value * 10 + Int(digit - UInt8(ascii: "0"))
        }
        return value == 0 ? .none : .length(value)
    }
}
