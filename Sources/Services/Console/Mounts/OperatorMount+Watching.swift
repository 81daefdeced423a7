import JSON

extension OperatorMount {
    static let watching: [OperatorEndpoint] = [
        OperatorEndpoint("series", .reads, isOfService: true) { .object($0.system.series.json) }
    ]
}
