/// A piece of HTML. Texts that are put into one are escaped; only another piece goes in as it is.
struct HTML: Hashable, Sendable {
    private(set) var text: String

    private init(raw text: String) { self.text = text }

    /// Pieces one after the other.
    init(_ pieces: [HTML]) { text = pieces.map(\.text).joined() }

    /// A text escaped for use between tags and in quotes.
    static func escaped(_ text: String) -> String {
        var escaped = ""
        for scalar in text.unicodeScalars {
            switch scalar {
            case "&": escaped += "&amp;"
            case "<": escaped += "&lt;"
            case ">": escaped += "&gt;"
            case "\"": escaped += "&quot;"
            case "'": escaped += "&#39;"
            default: escaped.unicodeScalars.append(scalar)
            }
        }
        return escaped
    }
}

extension HTML: ExpressibleByStringInterpolation {
    struct StringInterpolation: StringInterpolationProtocol {
        fileprivate var text = ""

        init(literalCapacity: Int, interpolationCount: Int) { text.reserveCapacity(literalCapacity) }

        mutating func appendLiteral(_ literal: String) { text += literal }

        mutating func appendInterpolation(_ text: String) { self.text += HTML.escaped(text) }

        mutating func appendInterpolation(_ piece: HTML) { text += piece.text }

        mutating func appendInterpolation(_ piece: HTML?) { text += piece?.text ?? "" }
    }

    init(stringLiteral text: String) { self.init(raw: text) }

    init(stringInterpolation: StringInterpolation) { self.init(raw: stringInterpolation.text) }
}
