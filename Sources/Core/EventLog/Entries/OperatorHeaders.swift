/// Headers for people who look at topics with ordinary Kafka tools: ours and CloudEvents' (1.0, Kafka binding). The
/// services read none of them.
package enum OperatorHeaders {
    /// The headers of an output.
    /// - Parameters:
    ///   - type: what the entry tells of, such as `change`.
    ///   - source: what made it.
    ///   - id: its name there; source and id together name the entry, also when it is repeated.
    package static func make(type: String, source: String, id: String) -> [LogHeader] {
        [
            LogHeader("fanfare-source", "\(source):\(id)"),
            LogHeader("fanfare-type", type),
            LogHeader("ce_specversion", "1.0"),
            LogHeader("ce_type", "fanfare.\(type)"),
            LogHeader("ce_source", source),
            LogHeader("ce_id", id),
        ]
    }
}
