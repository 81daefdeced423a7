import CloudModel

/// Reads predicate strings: NSPredicate's format, as `docs/predicates.md` describes it. A recursive descent; OR binds
/// weaker than AND, AND weaker than NOT.
struct PredicateParser {
    let language: PredicateLanguage
    /// The time that `now` stands for; nil refuses it.
    let time: Timestamp?
    let failure: PredicateFailure
    private var lexer: PredicateLexer
    private var arguments: ArraySlice<GivenPredicate.Argument>
    private let argumentsCount: Int
    private(set) var current: PredicateToken
    private var depth = 0
    private var operandDepth = 0
    private var nodes = 0

    /// Operands within one another: a value in a list, or an argument of a function.
    private static let operandDepthMax = 2

    /// The tree of a predicate string.
    /// - Throws: `BAD_REQUEST` that names the column.
    static func tree(
        _ given: GivenPredicate, time: Timestamp?, allows language: PredicateLanguage
    ) throws(CloudError) -> GivenTree {
        let scalars = Array(given.text.unicodeScalars)
        guard scalars.count <= Limits.predicateCharactersMax else {
            throw .badRequest(
                "the predicate has \(scalars.count) characters; at most \(Limits.predicateCharactersMax) are allowed")
        }
        guard given.arguments.count <= Limits.predicateArgumentsMax else {
            throw .badRequest(
                "the predicate has \(given.arguments.count) arguments; at most \(Limits.predicateArgumentsMax) are allowed"
            )
        }
        for (place, argument) in given.arguments.enumerated() {
            guard case .value(let given) = argument else { continue }
            try FilterValidator.checkLength(given.value.texts, "predicateArguments[\(place)]")
        }
        var parser = try PredicateParser(given, scalars, time: time, language: language)
        let tree = try parser.disjunction()
        try parser.finish(tree)
        return tree
    }

    private init(
        _ given: GivenPredicate, _ scalars: [Unicode.Scalar], time: Timestamp?, language: PredicateLanguage
    ) throws(CloudError) {
        self.language = language
        self.time = time
        failure = PredicateFailure(scalars: scalars)
        lexer = PredicateLexer(scalars)
        arguments = given.arguments[...]
        argumentsCount = given.arguments.count
        current = try lexer.next()
    }

    private func finish(_ tree: GivenTree) throws(CloudError) {
        guard current.kind == .end else {
            try refuseByName(current)
            throw error("expected AND, OR or the end")
        }
        guard arguments.isEmpty else {
            throw .badRequest(
                "predicateArguments has \(argumentsCount) elements, but the predicate takes \(argumentsCount - arguments.count)"
            )
        }
        guard tree.depth <= Limits.predicateDepthMax else {
            throw .badRequest(
                "the predicate has \(tree.depth) levels of AND, OR and NOT; at most \(Limits.predicateDepthMax) are allowed"
            )
        }
    }

    // MARK: Compounds

    private mutating func disjunction() throws(CloudError) -> GivenTree {
        var parts = [try conjunction()]
        while current.keyword == "OR" || current.kind == .symbol("||") {
            try requireFanfare("OR", at: current.offset)
            try advance()
            parts.append(try conjunction())
        }
        return parts.count == 1 ? parts[0] : .any(parts)
    }

    private mutating func conjunction() throws(CloudError) -> GivenTree {
        var parts = [try negation()]
        while current.keyword == "AND" || current.kind == .symbol("&&") {
            try advance()
            parts.append(try negation())
        }
        return parts.count == 1 ? parts[0] : .all(parts)
    }

    private mutating func negation() throws(CloudError) -> GivenTree {
        let start = current.offset
        if current.keyword == "NOT" || current.kind == .symbol("!") {
            try enter()
            try advance()
            let part = try negation()
            depth -= 1
            try checkNegation(of: part, at: start)
            return .not(part)
        }
        guard current.kind == .symbol("(") else { return try simple() }
        try enter()
        try advance()
        let tree = try disjunction()
        depth -= 1
        try expect(")")
        return tree
    }

    private mutating func simple() throws(CloudError) -> GivenTree {
        nodes += 1
        guard nodes <= Limits.predicateComparisonsMax else {
            throw error("a predicate has at most \(Limits.predicateComparisonsMax) comparisons")
        }
        switch current.keyword {
        case "TRUEPREDICATE":
            try advance()
            return .always
        case "FALSEPREDICATE":
            try advance()
            return .never
        default: return try comparison()
        }
    }

    private mutating func enter() throws(CloudError) {
        depth += 1
        guard depth <= Limits.predicateDepthMax else {
            throw error("parentheses and NOT may stand \(Limits.predicateDepthMax) levels deep, and no deeper")
        }
    }

    /// Begins an operand, which may stand within another one, and no deeper: the stack is not the text's to use.
    mutating func enterOperand() throws(CloudError) {
        operandDepth += 1
        guard operandDepth <= Self.operandDepthMax else {
            throw error("expected a field or a value: functions and lists take no others")
        }
    }

    /// Ends the operand that `enterOperand` began.
    mutating func leaveOperand() { operandDepth -= 1 }

    // MARK: Tokens

    /// Takes the current token.
    mutating func advance() throws(CloudError) { current = try lexer.next() }

    /// Takes a required symbol.
    mutating func expect(_ symbol: String) throws(CloudError) {
        guard current.kind == .symbol(symbol) else {
            try refuseByName(current)
            throw error("expected '\(symbol)'")
        }
        try advance()
    }

    /// The argument that the current `%@` or `%K` stands for.
    mutating func argument() throws(CloudError) -> GivenPredicate.Argument {
        guard let argument = arguments.popFirst() else {
            throw error("predicateArguments has \(argumentsCount) elements; there is none for this one")
        }
        try advance()
        return argument
    }

    /// An error at the current token.
    func error(_ reason: String) -> CloudError { failure.error(reason, at: current.offset) }

    /// Refuses Fanfare's additions, where only CloudKit's subset is allowed.
    func requireFanfare(_ what: String, at offset: Int) throws(CloudError) {
        guard language == .cloudKitSubset else { return }
        throw failure.error("CloudKit does not support \(what)", at: offset)
    }

    private func checkNegation(of part: GivenTree, at offset: Int) throws(CloudError) {
        guard language == .cloudKitSubset, let what = part.refusedNegation else { return }
        throw failure.error("CloudKit does not support NOT over \(what)", at: offset)
    }
}

extension GivenTree {
    /// The name of a construct before which CloudKit allows no NOT; nil for others (docs/cloudkit.md#predicates).
    fileprivate var refusedNegation: String? {
        switch self {
        case .all(let parts):
            guard case .comparison(let first)? = parts.first, case .comparison(let last)? = parts.last else {
                return "AND"
            }
            return first.offset == last.offset ? "BETWEEN" : "AND"
        case .any(let parts): return parts.isEmpty ? nil : "OR"
        case .comparison(let comparison):
            switch comparison.test {
            case .near: return "a distance test"
            case .allWords, .anyWords: return "a token search"
            default: return nil
            }
        case .always, .not: return nil
        }
    }
}
