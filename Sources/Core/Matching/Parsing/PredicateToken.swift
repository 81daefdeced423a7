/// A piece of a predicate string.
struct PredicateToken {
    enum Kind: Equatable {
        /// A name or a keyword; names of functions hold colons.
        case word(String)
        /// `#name`: a field, even where the name is a keyword.
        case escaped(String)
        case integer(Int64)
        case double(Double)
        case string(String)
        /// `%@`.
        case value
        /// `%K`.
        case key
        case symbol(String)
        case end
    }

    var kind: Kind
    /// The offset of its beginning, in Unicode scalars.
    var offset: Int

    /// The keyword that it may be, in upper case; nil for a token that is no plain word.
    var keyword: String? {
        guard case .word(let word) = kind else { return nil }
        return word.uppercased()
    }
}
