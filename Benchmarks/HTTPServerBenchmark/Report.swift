import CHTTPLoop
import Foundation
import HTTPServer

/// All measurements in one run, one JSON line each.
enum Report {
    static func run(quick: Bool) async throws {
        warnAboutDescriptors(needed: 10_500, in: "the server's process")
        try await Throughput.measure(rounds: quick ? 3 : 25, seconds: quick ? 0.3 : 0.6)
        try await HeldAnswers.measure(count: quick ? 1000 : 10_000)
    }

    /// One line; values are rounded to the measured precision.
    static func line(_ name: String, _ fields: KeyValuePairs<String, Double>) {
        let parts = fields.map { "\"\($0.key)\":\(String(format: "%.4g", $0.value))" }
        print("{\"benchmark\":\"\(name)\",\(parts.joined(separator: ","))}")
    }

    static func median(_ values: [Double]) -> Double {
        let sorted = values.sorted()
        let middle = sorted.count / 2
        return sorted.count.isMultiple(of: 2) ? (sorted[middle - 1] + sorted[middle]) / 2 : sorted[middle]
    }
}

/// Raises the soft limit of open files, and says so on stderr when it stays too low.
func warnAboutDescriptors(needed: Int64, in process: String) {
    let limit = chttp_raise_descriptors(needed)
    guard limit < needed else { return }
    let text = "\(process) may open \(limit) files and needs \(needed): raise the hard limit (ulimit -Hn)\n"
    FileHandle.standardError.write(Data(text.utf8))
}

func exitWith(_ code: Int32) { exit(code) }
