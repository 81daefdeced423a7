import CloudModel
import Foundation

// The record service without HTTP: saves beside a plain loop in C over the very same rows (record, index rows, words,
// outbox) in the same order, in turns; look-ups and queries. One line of JSON a figure. Arguments: rounds, records of a
// round, records of the large store, a folder on the disk to be measured.
//
//     RecordStoreBenchmark crowd STORE CONTAINER TYPE FIRST END DEVICES   # for scripts/bench-live crowd: fills a store and measures nothing
let arguments = CommandLine.arguments.dropFirst()
if arguments.first == "crowd" {
    let words = Array(arguments.dropFirst())
    guard words.count == 6, let first = Int(words[3]), let end = Int(words[4]), let devices = Int(words[5]) else {
        exit(64)
    }
    let scope = ContainerEnvironment(container: ContainerIdentifier(trusted: words[1]), environment: .development)
    try await Crowd(users: first..<end, devicesEach: devices).fill(words[0], scope, type: RecordType(trusted: words[2]))
    exit(0)
}
let rounds = arguments.first.flatMap { Int($0) } ?? 5
let records = arguments.dropFirst().first.flatMap { Int($0) } ?? 20_000
let large = arguments.dropFirst(2).first.flatMap { Int($0) } ?? 1_000_000
let folder = URL(fileURLWithPath: arguments.dropFirst(3).first ?? NSTemporaryDirectory())
    .appendingPathComponent("RecordStoreBenchmark-\(UUID().uuidString)")
try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
defer { try? FileManager.default.removeItem(at: folder) }

func quantile(_ values: [Double], _ part: Double) -> Double {
    let sorted = values.sorted()
    return sorted[min(sorted.count - 1, Int(Double(sorted.count) * part))]
}

func milliseconds(_ values: [Double]) -> String {
    "\"median_ms\":\(String(format: "%.3f", quantile(values, 0.5) * 1000)),"
        + "\"p99_ms\":\(String(format: "%.3f", quantile(values, 0.99) * 1000)),"
        + "\"per_second\":\(Int(Double(values.count) / values.reduce(0, +)))"
}

func say(_ line: String) {
    print(line)
    fflush(nil)
}

for group in [1, 200] {
    let count = group == 1 ? max(records / 10, 1) : records
    var (ours, inC): ([Double], [Double]) = ([], [])
    for _ in 0..<rounds {
        let bench = try Bench(in: folder, isDurable: true)
        ours.append(try await bench.save(0..<count, group: group))
        inC.append(await bench.inC(group: group, isDurable: true))
        await bench.end()
    }
    guard inC.allSatisfy({ $0 > 0 }) else { fatalError("the loop in C failed") }
    let (swift, raw) = (Double(count) / quantile(ours, 0.5), Double(count) / quantile(inC, 0.5))
    say(
        "{\"work\":\"save\",\"group\":\(group),\"records\":\(count),\"rounds\":\(rounds),"
            + "\"records_per_second\":\(Int(swift)),\"c_records_per_second\":\(Int(raw)),"
            + "\"swift_to_c\":\(String(format: "%.2f", swift / raw))}")
}

for size in [1000, large] {
    let bench = try Bench(in: folder, isDurable: false)
    for start in stride(from: 0, to: size, by: 10_000) {
        _ = try await bench.save(start..<min(start + 10_000, size), group: 200)
    }
    let names = try await bench.names(size / 10)
    say("{\"work\":\"lookup\",\"records\":\(size),\(milliseconds(try await bench.lookUp(2000, names: names)))}")
    let plain = try await bench.query(300)
    say("{\"work\":\"query\",\"records\":\(size),\"found\":\(plain.records),\(milliseconds(plain.seconds))}")
    let sorted = try await bench.query(
        30, sorts: [Sort(field: .field(FieldName(trusted: "rank")), isAscending: false)])
    say("{\"work\":\"sorted query\",\"records\":\(size),\"found\":\(sorted.records),\(milliseconds(sorted.seconds))}")
    await bench.end()
}
