import CloudModel

/// Makes errors of a predicate string, which name the column, quote its text, and say the reason.
struct PredicateFailure {
    private static let excerptScalars = 20
    let scalars: [Unicode.Scalar]

    /// An error at an offset in scalars.
    func error(_ reason: String, at offset: Int) -> CloudError {
        var error = CloudError.badRequest(text(reason, at: offset))
        error.column = min(offset, scalars.count) + 1
        return error
    }

    private func text(_ reason: String, at offset: Int) -> String {
        let rest = scalars[min(offset, scalars.count)...]
        guard !rest.isEmpty else { return "predicate, at its end (column \(offset + 1)): \(reason)" }
        var excerpt = String.UnicodeScalarView()
        excerpt.append(
            contentsOf: rest.prefix(Self.excerptScalars).map { $0.properties.generalCategory == .control ? " " : $0 })
        let dots = rest.count > Self.excerptScalars ? "…" : ""
        return "predicate, column \(offset + 1), at '\(String(excerpt))\(dots)': \(reason)"
    }
}
