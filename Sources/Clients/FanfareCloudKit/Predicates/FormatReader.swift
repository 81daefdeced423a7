/// Reads a predicate's format with the arguments of an app's: counts them, and writes each as `%@` or `%K`.
struct FormatReader {
    private let format: String
    private var values: ArraySlice<Any?>
    private(set) var arguments: [PredicateFormat.Argument] = []

    init(_ format: String, _ values: [Any?]) {
        self.format = format
        self.values = values[...]
    }

    /// The text as the service takes it.
    mutating func read() throws(CKError) -> String {
        guard !format.allSatisfy(\.isWhitespace) else { throw wrong("it is empty") }
        var result = ""
        var rest = format[...]
        var quote: Character?
        while let character = rest.popFirst() {
            result.append(character)
            if let open = quote {
                if character == "\\", let escaped = rest.popFirst() { result.append(escaped) }
                if character == open { quote = nil }
                continue
            }
            if character == "'" || character == "\"" { quote = character }
            if character == "%" { result.append(try argument(&rest)) }
        }
        if quote != nil { throw wrong("a string has no end") }
        guard values.isEmpty else { throw wrong("\(values.count) arguments too many") }
        return result
    }

    /// Takes the argument of a specifier, of which the `%` has been read.
    private mutating func argument(_ rest: inout Substring) throws(CKError) -> Character {
        let length = rest.prefix { "lhqzt".contains($0) }
        rest = rest.dropFirst(length.count)
        // Precisions of numbers say how a text looks, which nobody sees.
        if length.isEmpty { rest = rest.drop { $0.isNumber || $0 == "." } }
        guard let kind = rest.popFirst(), "@KdiuxXfFgGeEsa".contains(kind) else {
            throw wrong("'%\(length)\(rest.prefix(1))' is no argument; %@, %K and numbers are")
        }
        guard let value = values.popFirst() else { throw wrong("there are too few arguments") }
        guard let argument = PredicateFormat.Argument(value) else {
            throw wrong("an argument of the type \(value.map { "\(type(of: $0))" } ?? "nil") cannot be compared with")
        }
        if kind == "K" {
            guard case .content(.string) = argument else { throw wrong("%K takes the name of a field") }
        }
        arguments.append(argument)
        return kind == "K" ? "K" : "@"
    }

    private func wrong(_ reason: String) -> CKError {
        CKError(.invalidArguments, "predicate '\(format)': \(reason)")
    }
}
