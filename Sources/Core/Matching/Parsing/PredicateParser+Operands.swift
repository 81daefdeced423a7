import CloudModel

/// One side of a comparison.
enum PredicateOperand: Equatable {
    case field(FilterField)
    case value(GivenValue)
    case null
    case values([GivenValue])
    case distance(FilterField, Location)
    /// `tokenize(…)`.
    case words(String)
}

extension PredicateParser {
    mutating func operand() throws(CloudError) -> PredicateOperand {
        try enterOperand()
        let operand = try bareOperand()
        leaveOperand()
        if case .symbol(let symbol) = current.kind {
            switch symbol {
            case "+", "-", "*", "/", "**": throw error("arithmetic is not supported: compute the value before")
            case ".", "[", "@": throw error("key paths are not supported: a predicate looks at the record's own fields")
            default: break
            }
        }
        return operand
    }

    private mutating func bareOperand() throws(CloudError) -> PredicateOperand {
        switch current.kind {
        case .integer(let number): return try taken(.int64(number))
        case .double(let number): return try taken(.double(number))
        case .string(let text): return try taken(.string(text))
        case .value:
            switch try argument() {
            case .value(let value): return .value(value)
            case .null: return .null
            }
        case .key: return .field(try keyArgument())
        case .escaped(let name):
            let field = try ownField(name)
            try advance()
            return .field(field)
        case .word(let word): return try named(word)
        case .symbol("{"): return .values(try list())
        case .symbol, .end:
            try refuseByName(current)
            throw error("expected a field or a value")
        }
    }

    private mutating func taken(_ value: FieldValue) throws(CloudError) -> PredicateOperand {
        try advance()
        return .value(GivenValue(value, isTypeExplicit: false))
    }

    /// `{1, 2, 3}`.
    private mutating func list() throws(CloudError) -> [GivenValue] {
        try advance()
        var values: [GivenValue] = []
        while current.kind != .symbol("}") {
            if !values.isEmpty { try expect(",") }
            guard values.count < Limits.listFilterValuesMax else {
                throw error("a list has at most \(Limits.listFilterValuesMax) values")
            }
            let start = current.offset
            guard current.kind != .symbol("{"), case .value(let value) = try operand() else {
                throw failure.error("expected a value: a list holds values only", at: start)
            }
            values.append(value)
        }
        try advance()
        return values
    }

    private mutating func named(_ word: String) throws(CloudError) -> PredicateOperand {
        try refuseByName(current)
        let start = current.offset
        switch word.uppercased() {
        case "NIL", "NULL":
            try advance()
            return .null
        // How NSPredicate writes Swift's Bool, which CloudKit stores as INT64.
        case "TRUE", "YES": return try taken(.int64(1))
        case "FALSE", "NO": return try taken(.int64(0))
        case "SELF", "ALLTOKENS":
            try advance()
            return .field(.searchableTexts)
        case "NOW":
            try advance()
            if current.kind == .symbol("(") {
                try advance()
                try expect(")")
            }
            guard let time else {
                throw failure.error(
                    "now has no meaning in a subscription, which outlives the moment: give a date", at: start)
            }
            return .value(GivenValue(.timestamp(time), isTypeExplicit: true))
        case "CAST": return .value(try cast())
        case "TOKENIZE", "TOKENIZE:USING:": return .words(try tokenize())
        case "DISTANCETOLOCATION:FROMLOCATION:": return try distance()
        default: break
        }
        guard !PredicateOperator.reserved.contains(word.uppercased()) else {
            throw error("expected a field or a value; \(word) is a keyword, a field of this name is written #\(word)")
        }
        let field = try self.field(named: word)
        try advance()
        guard current.kind != .symbol("(") else {
            throw failure.error(
                "there is no function '\(word)'; known are now, CAST, tokenize and distanceToLocation:fromLocation:",
                at: start)
        }
        return .field(field)
    }

    /// `CAST(seconds, 'NSDate')`, as NSPredicate writes dates: seconds since 2001-01-01 UTC.
    private mutating func cast() throws(CloudError) -> GivenValue {
        try advance()
        try expect("(")
        let start = current.offset
        let seconds: Double
        switch current.kind {
        case .integer(let number): seconds = Double(number)
        case .double(let number): seconds = number
        default: throw error("CAST takes a number: the seconds since 2001-01-01 UTC")
        }
        try advance()
        try expect(",")
        guard case .string("NSDate") = current.kind else { throw error("CAST makes dates only: expected 'NSDate'") }
        try advance()
        try expect(")")
        let milliseconds = ((seconds + 978_307_200) * 1000).rounded()
        guard let milliseconds = Int64(exactly: milliseconds) else {
            throw failure.error("the date is beyond 64 bits of milliseconds", at: start)
        }
        return GivenValue(.timestamp(Timestamp(milliseconds: milliseconds)), isTypeExplicit: true)
    }

    /// `tokenize('words', 'Cdl')` and `tokenize:using:('words', 'Cdl')`; the options change nothing, as words are
    /// always compared without case and marks.
    private mutating func tokenize() throws(CloudError) -> String {
        try advance()
        try expect("(")
        let words = try text("tokenize takes the words as a STRING")
        try expect(",")
        _ = try text("tokenize takes its options as a string: 'Cdl'")
        try expect(")")
        return words
    }

    private mutating func distance() throws(CloudError) -> PredicateOperand {
        try advance()
        try expect("(")
        let start = current.offset
        guard case .field(let field) = try operand() else {
            throw failure.error("expected the field that holds the location", at: start)
        }
        try expect(",")
        let second = current.offset
        guard case .value(let given) = try operand(), case .location(let place) = given.value else {
            throw failure.error("expected %@ with a LOCATION in predicateArguments", at: second)
        }
        try expect(")")
        return .distance(field, place)
    }

    /// A string, written out or as `%@`.
    private mutating func text(_ expected: String) throws(CloudError) -> String {
        let start = current.offset
        guard case .value(let given) = try operand(), case .string(let text) = given.value else {
            throw failure.error(expected, at: start)
        }
        return text
    }

    // MARK: Fields

    private mutating func keyArgument() throws(CloudError) -> FilterField {
        let place = current
        guard case .value(let given) = try argument(), case .string(let name) = given.value else {
            throw failure.error("%K takes the name of a field as a string", at: place.offset)
        }
        guard !name.contains(".") else {
            throw failure.error("key paths are not supported: '\(name)'", at: place.offset)
        }
        if name.hasPrefix("#") { return try ownField(String(name.dropFirst()), at: place.offset) }
        return try field(named: name, at: place.offset)
    }

    private func field(named name: String) throws(CloudError) -> FilterField {
        try field(named: name, at: current.offset)
    }

    private func field(named name: String, at offset: Int) throws(CloudError) -> FilterField {
        switch name {
        case "self", "SELF", "allTokens": return .searchableTexts
        case "recordID": return .system(.recordName)
        case "creationDate": return .system(.createdTimestamp)
        case "modificationDate": return .system(.modifiedTimestamp)
        case "creatorUserRecordID": return .system(.createdUserRecordName)
        case "lastModifiedUserRecordID": return .system(.modifiedUserRecordName)
        default: break
        }
        if let system = SystemField(name: name) { return .system(system) }
        return try ownField(name, at: offset)
    }

    private func ownField(_ name: String) throws(CloudError) -> FilterField { try ownField(name, at: current.offset) }

    private func ownField(_ name: String, at offset: Int) throws(CloudError) -> FilterField {
        do {
            return .field(try FieldName(name))
        } catch {
            throw failure.error(error.reason, at: offset)
        }
    }

    // MARK: What NSPredicate has and Fanfare has not

    /// Refuses constructs of NSPredicate that are not supported, by their names.
    func refuseByName(_ token: PredicateToken) throws(CloudError) {
        switch token.kind {
        case .word(let word):
            switch word.uppercased() {
            case "MATCHES": throw error("MATCHES is not supported: use LIKE, BEGINSWITH, ENDSWITH or CONTAINS")
            case "SUBQUERY": throw error("SUBQUERY is not supported")
            case "FUNCTION": throw error("FUNCTION is not supported")
            case "TERNARY": throw error("TERNARY is not supported")
            case "BLOCKPREDICATE": throw error("block predicates are not supported: write the condition out")
            case "UNION", "INTERSECT", "MINUS": throw error("operations on sets are not supported")
            default: break
            }
        case .symbol("$"): throw error("variables are not supported: use %@ and predicateArguments")
        case .symbol("@"): throw error("collection operators are not supported")
        case .symbol("."), .symbol("["):
            throw error("key paths are not supported: a predicate looks at the record's own fields")
        case .symbol("+"), .symbol("-"), .symbol("*"), .symbol("/"), .symbol("**"):
            throw error("arithmetic is not supported: compute the value before")
        default: break
        }
    }
}
