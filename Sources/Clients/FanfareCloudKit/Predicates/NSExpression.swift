public import Foundation

#if !canImport(ObjectiveC)
    /// A part of a comparison: a field, a value, a list or a function. Foundation's class of this name does nothing on
    /// Linux; this one writes the expression for the service.
    ///
    /// An app that imports Foundation, too, can make expressions by this name, but can name their type only with its
    /// module (`FanfareCloudKit.NSExpression`).
    public final class NSExpression: NSObject, NSCopying, Sendable {
        let format: Result<PredicateFormat, CKError>
        /// The value of a constant, or of a list of constants.
        private let constant: PredicateFormat.Argument?

        private init(_ format: Result<PredicateFormat, CKError>, constant: PredicateFormat.Argument? = nil) {
            self.format = format
            self.constant = constant
        }

        /// A field by its name; `self` is the record as a whole, `allTokens` its searchable texts.
        public convenience init(forKeyPath keyPath: String) {
            switch keyPath.lowercased() {
            case "self": self.init(.success(PredicateFormat(text: "SELF")))
            case "alltokens": self.init(.success(PredicateFormat(text: "allTokens")))
            default:
                self.init(.success(PredicateFormat(text: "%K", arguments: [.content(.string(keyPath))])))
            }
        }

        /// A value; nil is one, too.
        public convenience init(forConstantValue obj: Any?) {
            guard let argument = PredicateFormat.Argument(obj) else {
                let given = obj.map { "\(type(of: $0))" } ?? "nil"
                self.init(.failure(CKError(.invalidArguments, "a value of the type \(given) cannot be compared with")))
                return
            }
            self.init(.success(PredicateFormat(text: "%@", arguments: [argument])), constant: argument)
        }

        /// A list of values: constants, or expressions that are.
        public convenience init(forAggregate subexpressions: [Any]) {
            var elements: [FieldContent] = []
            for element in subexpressions {
                let argument = (element as? NSExpression)?.constant ?? PredicateFormat.Argument(element)
                guard case .content(let content)? = argument else {
                    self.init(.failure(CKError(.invalidArguments, "a list takes values alone, not \(element)")))
                    return
                }
                elements.append(content)
            }
            let list = PredicateFormat.Argument.content(.list(elements))
            self.init(.success(PredicateFormat(text: "%@", arguments: [list])), constant: list)
        }

        /// A function of CloudKit's predicates: `distanceToLocation:fromLocation:`, `tokenize:using:`, `now`.
        public convenience init(forFunction name: String, arguments parameters: [Any]) {
            let parts = parameters.map { ($0 as? NSExpression) ?? NSExpression(forConstantValue: $0) }
            switch (name, parts.count) {
            case ("now", 0): self.init(.success(PredicateFormat(text: "now()")))
            case ("distanceToLocation:fromLocation:", 2):
                self.init(Self.call(name, parts) { try $0.format.get() })
            case ("tokenize:using:", 2), ("tokenize:", 1):
                self.init(
                    Self.call(name, parts) { part in
                        guard let constant = part.constant else {
                            throw CKError(.invalidArguments, "\(name) takes strings")
                        }
                        return PredicateFormat(text: constant.literal)
                    })
            default:
                self.init(
                    .failure(CKError(.invalidArguments, "the function '\(name)' is not one of CloudKit's predicates")))
            }
        }

        /// The record as a whole, in which words are searched for.
        public class func expressionForEvaluatedObject() -> NSExpression { NSExpression(forKeyPath: "self") }

        private static func call(
            _ name: String, _ parts: [NSExpression], _ format: (NSExpression) throws -> PredicateFormat
        ) -> Result<PredicateFormat, CKError> {
            do {
                let formats = try parts.map(format)
                return .success(
                    PredicateFormat(
                        text: "\(name)(\(formats.map(\.text).joined(separator: ", ")))",
                        arguments: formats.flatMap(\.arguments)))
            } catch {
                return .failure(CKError(error))
            }
        }

        /// The expression with its values written out.
        public override var description: String {
            switch format {
            case .success(let format): format.writtenOut
            case .failure(let error): error.localizedDescription
            }
        }

        /// True for an expression that is written in the same way.
        public override func isEqual(_ object: Any?) -> Bool {
            guard let other = object as? NSExpression, case .success(let mine) = format,
                case .success(let theirs) = other.format
            else { return false }
            return mine.text == theirs.text && mine.arguments == theirs.arguments
        }

        /// A hash of the text.
        public override var hash: Int { if case .success(let format) = format { format.text.hashValue } else { 0 } }

        /// The expression itself, which never changes.
        public func copy(with zone: NSZone? = nil) -> Any { self }
    }
#endif
