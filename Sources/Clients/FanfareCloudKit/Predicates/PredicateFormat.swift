import CloudModel
import Foundation

/// A predicate as the service takes it: text in NSPredicate's format, in which `%@` and `%K` stand for arguments.
struct PredicateFormat: Sendable {
    /// An argument of a text.
    enum Argument: Sendable, Equatable {
        case null
        case content(FieldContent)
    }

    var text: String
    var arguments: [Argument]

    /// A format as an app writes it: numbers may be `%d`, `%f` and the like.
    /// - Throws: `CKError` with `invalidArguments`, and the position of the error.
    init(_ format: String, _ values: [Any?]) throws(CKError) {
        var reader = FormatReader(format, values)
        text = try reader.read()
        arguments = reader.arguments
    }

    init(text: String, arguments: [Argument] = []) {
        self.text = text
        self.arguments = arguments
    }

    /// Several as one.
    static func joined(_ parts: [PredicateFormat], by word: String) -> PredicateFormat {
        PredicateFormat(
            text: parts.map { "(\($0.text))" }.joined(separator: " \(word) "), arguments: parts.flatMap(\.arguments))
    }

    /// The text with its arguments written out, as `predicateFormat` shows it.
    var writtenOut: String {
        guard !arguments.isEmpty else { return text }
        var arguments = arguments[...]
        var result = ""
        var characters = text[...]
        var quote: Character?
        while let character = characters.popFirst() {
            if let open = quote {
                result.append(character)
                if character == "\\", let next = characters.popFirst() { result.append(next) }
                if character == open { quote = nil }
            } else if character == "%", let kind = characters.popFirst() {
                guard let argument = arguments.popFirst() else { continue }
                result += kind == "K" ? argument.name : argument.literal
            } else {
                if character == "'" || character == "\"" { quote = character }
                result.append(character)
            }
        }
        return result
    }

    /// The predicate as a request gives it; nil where every record satisfies it.
    func given() throws(CKError) -> GivenPredicate? {
        guard text != "TRUEPREDICATE" else { return nil }
        var values: [GivenPredicate.Argument] = []
        for argument in arguments {
            switch argument {
            case .null: values.append(.null)
            case .content(let content): values.append(.value(try content.given(for: "an argument", in: nil)))
            }
        }
        return GivenPredicate(text: text, arguments: values)
    }

    /// A predicate as the service answered it.
    init(_ given: GivenPredicate) {
        text = given.text
        arguments = given.arguments.map { argument in
            switch argument {
            case .null: .null
            case .value(let value):
                .content(FieldContent(value.value, in: .default) { CKAsset(fileURL: nil, uploaded: $0) })
            }
        }
    }
}

extension PredicateFormat.Argument {
    /// An argument of an app's; nil for what no predicate compares with.
    init?(_ value: Any?) {
        guard let value, !(value is NSNull) else {
            self = .null
            return
        }
        switch value {
        case let id as CKRecord.ID: self = .content(.reference(CKRecord.Reference(recordID: id, action: .none)))
        case let record as CKRecord: self = .content(.reference(CKRecord.Reference(record: record, action: .none)))
        case let list as [Any]:
            var elements: [FieldContent] = []
            for element in list {
                guard case .content(let content)? = Self(element) else { return nil }
                elements.append(content)
            }
            self = .content(FieldContent.list(elements))
        case let set as Set<AnyHashable>: self.init(set.map(\.base))
        default:
            guard let content = FieldContent(any: value) else { return nil }
            switch content {
            case .bytes, .asset: return nil
            default: self = .content(content)
            }
        }
    }

    /// The name that stands for `%K`.
    fileprivate var name: String { if case .content(.string(let text)) = self { text } else { literal } }

    /// The literal that stands for `%@`.
    var literal: String { if case .content(let content) = self { Self.literal(content) } else { "nil" } }

    private static func literal(_ content: FieldContent) -> String {
        switch content {
        case .string(let text):
            "\"" + text.replacing("\\", with: "\\\\").replacing("\"", with: "\\\"") + "\""
        case .int64(let number): "\(number)"
        case .double(let number): "\(number)"
        case .date(let date): "CAST(\(date.timeIntervalSinceReferenceDate), \"NSDate\")"
        case .reference(let reference): "<CKReference \(reference.recordID.recordName)>"
        case .location(let location): "<\(location.coordinate.latitude),\(location.coordinate.longitude)>"
        case .list(let elements): "{" + elements.map(literal).joined(separator: ", ") + "}"
        case .bytes, .asset, .encrypted, .unknown: "<?>"
        }
    }
}
