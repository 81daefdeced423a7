import JSON

/// A place in a body, as in `operations[0].record.fields.n`.
struct Place: CustomStringConvertible {
    private enum Step {
        case key(String)
        case index(Int)
    }

    private let steps: [Step]
    let description: String

    init(_ text: String) {
        description = text
        steps = text.split(separator: ".").flatMap { part -> [Step] in
            let pieces = part.split(separator: "[")
            return [.key(String(pieces[0]))] + pieces.dropFirst().map { .index(Int($0.dropLast())!) }
        }
    }

    /// The body with another value there; nil removes it.
    func set(_ value: JSONValue?, in body: JSONValue) -> JSONValue { Self.set(steps[...], value, in: body) ?? .null }

    private static func set(_ steps: ArraySlice<Step>, _ value: JSONValue?, in body: JSONValue) -> JSONValue? {
        guard let first = steps.first else { return value }
        switch first {
        case .key(let key):
            guard case .object(var object) = body else { return body }
            object[key] = set(steps.dropFirst(), value, in: object[key] ?? .null)
            return .object(object)
        case .index(let index):
            guard case .array(var array) = body, array.indices.contains(index) else { return body }
            array[index] = set(steps.dropFirst(), value, in: array[index]) ?? .null
            return .array(array)
        }
    }
}
