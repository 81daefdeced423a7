import CloudModel
import Telemetry

/// Counts the errors of answers and of their items by their codes.
struct RefusalCounters: Sendable {
    private let codes: [CloudErrorCode: Counter]

    /// Registers the counters.
    init() {
        codes = Dictionary(
            uniqueKeysWithValues: CloudErrorCode.allCases.map { code in
                (
                    code,
                    Counter(
                        "fanfare_web_api_refusals_total", "Requests, and items of them, that were answered an error.",
                        labels: ["code": code.rawValue])
                )
            })
    }

    /// Counts one.
    func count(_ code: CloudErrorCode) { codes[code]?.increment() }
}
