/// The number that distinguishes a topic from others of the same name. Kafka gives each topic an ID that librdkafka 2.0
/// cannot read, so it is in the topic's configuration, which is created and deleted with the topic
/// (`docs/decisions/0002`).
enum TopicIncarnation {
    /// The setting that holds it. Values as large as these mean the same as its default: that nothing has to be
    /// compacted by any time.
    static let setting = "max.compaction.lag.ms"

    /// All of them last for more than a hundred million years, and none is the default.
    private static let values: Range<Int64> = 1 << 62 ..< .max

    /// Returns a new one.
    static func random() -> UInt64 { UInt64(Int64.random(in: values)) }

    /// Reads it from the topic's own settings; nil if there is none.
    static func read(_ overrides: [String: String]) -> UInt64? {
        guard let value = overrides[setting].flatMap({ Int64($0) }), values.contains(value) else { return nil }
        return UInt64(value)
    }
}
