public import Foundation

#if !canImport(ObjectiveC)
    /// A comparison of two expressions. Foundation's class of this name does nothing on Linux; this one is a predicate
    /// that the service takes.
    public final class NSComparisonPredicate: NSPredicate {
        /// The elements of a list for which the comparison has to hold, by Foundation's numbers.
        public enum Modifier: UInt, Sendable {
            /// The two sides are compared as they are.
            case direct
            /// All elements.
            case all
            /// One at least.
            case any
        }

        /// The kind of comparison, by Foundation's numbers.
        public enum Operator: UInt, Sendable {
            case lessThan = 0
            case lessThanOrEqualTo, greaterThan, greaterThanOrEqualTo, equalTo, notEqualTo
            /// A regular expression, which the service refuses.
            case matches
            case like, beginsWith, endsWith
            case `in` = 10
            case contains = 99
            case between = 100

            fileprivate var text: String {
                switch self {
                case .lessThan: "<"
                case .lessThanOrEqualTo: "<="
                case .greaterThan: ">"
                case .greaterThanOrEqualTo: ">="
                case .equalTo: "=="
                case .notEqualTo: "!="
                case .matches: "MATCHES"
                case .like: "LIKE"
                case .beginsWith: "BEGINSWITH"
                case .endsWith: "ENDSWITH"
                case .in: "IN"
                case .contains: "CONTAINS"
                case .between: "BETWEEN"
                }
            }
        }

        /// The differences of texts that do not count, by Foundation's numbers.
        public struct Options: OptionSet, Sendable {
            /// The bits.
            public let rawValue: UInt

            /// Differences by their bits.
            public init(rawValue: UInt) { self.rawValue = rawValue }

            /// Upper and lower case.
            public static let caseInsensitive = Options(rawValue: 1)
            /// Accents and their like.
            public static let diacriticInsensitive = Options(rawValue: 2)

            fileprivate var text: String {
                let letters = (contains(.caseInsensitive) ? "c" : "") + (contains(.diacriticInsensitive) ? "d" : "")
                return letters.isEmpty ? "" : "[\(letters)]"
            }
        }

        /// The left side.
        public let leftExpression: NSExpression
        /// The right side.
        public let rightExpression: NSExpression
        /// The elements of a list for which it has to hold.
        public let comparisonPredicateModifier: Modifier
        /// The kind of comparison.
        public let predicateOperatorType: Operator
        /// The differences that do not count.
        public let options: Options

        /// A comparison. An unsupported one fails the call that uses it, as `CKError` with `invalidArguments`.
        public init(
            leftExpression lhs: NSExpression, rightExpression rhs: NSExpression, modifier: Modifier = .direct,
            type: Operator, options: Options = []
        ) {
            leftExpression = lhs
            rightExpression = rhs
            comparisonPredicateModifier = modifier
            predicateOperatorType = type
            self.options = options
            super.init(value: true)
        }

        /// Not supported.
        public required init?(coder: NSCoder) { nil }

        /// The predicate as the service takes it.
        var format: Result<PredicateFormat, CKError> {
            leftExpression.format.flatMap { left in
                rightExpression.format.map { right in
                    let modifier = ["", "ALL ", "ANY "][Int(comparisonPredicateModifier.rawValue)]
                    let comparison = "\(predicateOperatorType.text)\(options.text)"
                    return PredicateFormat(
                        text: "\(modifier)\(left.text) \(comparison) \(right.text)",
                        arguments: left.arguments + right.arguments)
                }
            }
        }

        /// The comparison with its values written out.
        public override var predicateFormat: String {
            switch format {
            case .success(let format): format.writtenOut
            case .failure(let error): error.localizedDescription
            }
        }

        /// The comparison with its values written out.
        public override var description: String { predicateFormat }

        /// True for a comparison that is written in the same way.
        public override func isEqual(_ object: Any?) -> Bool {
            guard let other = object as? NSComparisonPredicate, case .success(let mine) = format,
                case .success(let theirs) = other.format
            else { return false }
            return mine.text == theirs.text && mine.arguments == theirs.arguments
        }

        /// A hash of the text.
        public override var hash: Int { if case .success(let format) = format { format.text.hashValue } else { 0 } }

        /// The predicate itself, which never changes.
        public override func copy(with zone: NSZone? = nil) -> Any { self }

        /// False: a client does not evaluate what it asks a service.
        public override func evaluate(with object: Any?, substitutionVariables bindings: [String: Any]?) -> Bool {
            false
        }
    }
#endif
