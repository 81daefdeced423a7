import JSON

extension OperatorMount {
    static let watching: [OperatorEndpoint] = [
        OperatorEndpoint("series", .reads) { .object($0.system.series.json) }
    ]
}
