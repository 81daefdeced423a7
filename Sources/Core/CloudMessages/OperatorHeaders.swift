package import EventLog

/// Headers for people who look at topics with ordinary Kafka tools: ours and CloudEvents' (1.0, Kafka binding). The
/// services read none of them.
package struct OperatorHeaders: Sendable {
    private let source: String
    private let fixed: [LogHeader]

    /// Makes the headers that outputs of one kind and one source have in common.
    /// - Parameters:
    ///   - type: what the entries tell of, such as `change`.
    ///   - source: what makes them.
    package init(type: String, source: String) {
        self.source = source + ":"
        fixed = [
            LogHeader("fanfare-type", type),
            LogHeader("ce_specversion", "1.0"),
            LogHeader("ce_type", "fanfare.\(type)"),
            LogHeader("ce_source", source),
        ]
    }

    /// The headers of one output.
    /// - Parameter id: its name at its source; both together name the entry, also when it is repeated.
    package func headers(id: String) -> [LogHeader] {
        var headers: [LogHeader] = []
        headers.reserveCapacity(fixed.count + 3)
        headers.append(LogHeader("fanfare-source", source + id))
        headers += fixed
        headers.append(LogHeader("ce_id", id))
        return headers
    }

    /// The headers of an output that has nothing in common with others.
    package static func make(type: String, source: String, id: String) -> [LogHeader] {
        OperatorHeaders(type: type, source: source).headers(id: id)
    }
}
