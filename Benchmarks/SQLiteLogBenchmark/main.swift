import Foundation

// Appends to `SQLiteLog` against a plain loop in C over the same tables, in turns, and to `MemoryLog` beside them; one
// line of JSON each. Arguments: rounds, entries in a round, a folder on the disk to be measured.
let arguments = CommandLine.arguments.dropFirst()
let rounds = arguments.first.flatMap { Int($0) } ?? 5
let entries = arguments.dropFirst().first.flatMap { Int($0) } ?? 200_000
let folder = URL(fileURLWithPath: arguments.dropFirst(2).first ?? NSTemporaryDirectory())
    .appendingPathComponent("SQLiteLogBenchmark-\(UUID().uuidString)")
try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
defer { try? FileManager.default.removeItem(at: folder) }

func median(_ values: [Double]) -> Double {
    let sorted = values.sorted()
    return sorted.count % 2 == 1
        ? sorted[sorted.count / 2] : (sorted[sorted.count / 2 - 1] + sorted[sorted.count / 2]) / 2
}

/// The rounds of one side.
struct Side {
    var seconds: [Double] = []
    var processorSeconds: [Double] = []

    var rate: Double { Double(entries) / median(seconds) }
    var microsecondsPerEntry: String { String(format: "%.1f", median(processorSeconds) / Double(entries) * 1e6) }

    mutating func run(_ work: () async throws -> Double) async throws {
        let before = Self.processorSeconds
        seconds.append(try await work())
        processorSeconds.append(Self.processorSeconds - before)
    }

    /// What this process has used of all processors.
    private static var processorSeconds: Double {
        var now = timespec()
        clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &now)
        return Double(now.tv_sec) + Double(now.tv_nsec) / 1e9
    }
}

for topics in [1, 1_000] {
    for group in [256, 1_000] {
        let work = Workload(folder: folder, topics: topics, group: group, entries: entries)
        var (inC, inSwift, inMemory) = (Side(), Side(), Side())
        for round in 0..<rounds {
            // The order alternates, as the second may find the disk busier.
            if round % 2 == 0 { try await inC.run(work.inC) }
            try await inSwift.run(work.inSwift)
            if round % 2 == 1 { try await inC.run(work.inC) }
            try await inMemory.run(work.inMemory)
        }
        guard inC.seconds.allSatisfy({ $0 > 0 }) else { fatalError("the loop in C failed") }
        print(
            "{\"work\":\"append\",\"topics\":\(topics),\"group\":\(group),\"entries\":\(entries),\"bytes\":200,"
                + "\"rounds\":\(rounds),\"c_entries_per_second\":\(Int(inC.rate)),"
                + "\"swift_entries_per_second\":\(Int(inSwift.rate)),\"memory_entries_per_second\":\(Int(inMemory.rate)),"
                + "\"swift_to_c\":\(String(format: "%.2f", inSwift.rate / inC.rate)),"
                + "\"c_processor_microseconds\":\(inC.microsecondsPerEntry),"
                + "\"swift_processor_microseconds\":\(inSwift.microsecondsPerEntry)}")
    }
}
