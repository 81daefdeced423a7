import Foundation
import Testing

@Suite("Rules of the house") struct HygieneTests {
    @Test("every Swift target refuses to compile without the language settings")
    func languageFeatures() throws {
        expectNone(
            try PackageTarget.all.get().filter { $0.kind == .swift }.compactMap { target in
                let link = Repository.root.appendingPathComponent("\(target.folder)/LanguageFeatures.swift")
                let shared = Repository.root.appendingPathComponent("Sources/LanguageFeatures.swift")
                let isLink = (try? FileManager.default.destinationOfSymbolicLink(atPath: link.path)) != nil
                if isLink, link.resolvingSymlinksInPath().path == shared.resolvingSymlinksInPath().path { return nil }
                return Violation(
                    path: target.folder,
                    remedy: "has no link LanguageFeatures.swift to Sources/LanguageFeatures.swift: make it with ln -s, "
                        + "or a misspelt language feature would be silently off")
            })
    }

    /// The only sleeps in the tests, with their number and reason. All others wait for an event, with a deadline.
    private static let sleeps: [String: (count: Int, reason: String)] = [
        "Tests/Simulation/Scheduling/SimulatedTime.swift": (1, "the scheduler's time: no real time passes"),
        "Tests/Core/StagesTests/PartitionedStageTests.swift": (1, "work that does not end until it is cancelled"),
        "Tests/Support/Deadline.swift": (2, "deadlines, and polling of state without a notification"),
        "Tests/Support/ManualTime.swift": (1, "a pause of the manual clock"),
        "Tests/Support/KafkaCluster.swift": (1, "asks a broker's log until it has started, outside of any task"),
        "Tests/Libraries/KafkaClientTests/Observed.swift": (2, "a deadline; and a handler that blocks its thread"),
        "Tests/Libraries/KafkaClientTests/GroupTests.swift": (1, "a broker's clock has to pass its poll interval"),
        "Tests/Libraries/HTTPServerTests/Signal.swift": (1, "a deadline"),
    ]

    @Test("tests do not sleep")
    func sleeping() {
        let pattern = /\b(?:Task|Thread)\.sleep\b|\b(?:u|nano)?sleep\(|\basyncAfter\b/
        expectNone(
            Repository.tests.filter { !$0.path.hasPrefix("Tests/RepositoryTests/") }.flatMap { file in
                let lines = file.numbered
                    .filter { ($0.line.holds("sleep") || $0.line.holds("asyncAfter")) && $0.line.contains(pattern) }
                let allowed = Self.sleeps[file.path]?.count ?? 0
                if lines.count == allowed { return [Violation]() }
                if lines.count < allowed {
                    return [
                        Violation(
                            path: file.path,
                            remedy:
                                "has \(lines.count) sleeps, the list in HygieneTests.swift says \(allowed): correct it")
                    ]
                }
                return lines.map { number, _ in
                    Violation(
                        path: file.path, line: number,
                        remedy: "sleeps: wait for the event itself, or ask with `eventually` or `answer` of TestSupport"
                    )
                }
            })
    }

    /// Code that reads the machine's clock itself.
    private static let clocks = [
        "Sources/Libraries/Timing/": "the machine's clock is one of the sources",
        "Sources/Libraries/KafkaClient/": "threads of librdkafka's, with times of their own",
        "Sources/Libraries/HTTPServer/": "a thread whose machines take the time as a parameter",
        "Sources/Libraries/HTTPClient/": "a thread of libcurl's",
        "Sources/Services/Operations/": "load generators measure the machine",
        "Sources/Services/RecordService/Commits/CommitClock.swift": "takes the time as a parameter",
        "Sources/Services/WebAPI/Rates/RateGuard.swift": "callers give the time; it counts from the process's start",
        "Sources/Services/WebAPI/CloudAPI.swift": "a metric of durations",
        "Sources/Services/NotificationDelivery/PartitionDeliverer.swift": "a metric of durations",
        "Sources/Backends/SQLiteRecordStore/SQLiteScans.swift": "a thread's limit of work",
        "Sources/fanfare/": "the program: processes run by the machine's clock",
    ]

    @Test("pauses and deadlines go through the module Timing")
    func clocks() {
        let pattern = /\bTask\.sleep\(|ContinuousClock\(?\)?\.now|ContinuousClock\(\)/
        expectNone(
            Repository.sources.filter { file in !Self.clocks.keys.contains { file.path.hasPrefix($0) } }.flatMap {
                file in
                file.numbered.filter { ($0.line.holds("sleep") || $0.line.holds("Clock")) && $0.line.contains(pattern) }
                    .map { number, _ in
                        Violation(
                            path: file.path, line: number,
                            remedy: "reads the machine's clock: use Time of the module Timing, which tests replace")
                    }
            })
    }

    @Test("the record service reads users' profiles in one place, which knows the viewer")
    func profiles() {
        let pattern = /\.profiles?\((?:of|withEmail):|\bdiscoverableProfiles\(|\b(?:reader|transaction)\.profile\b/
        let place = "Sources/Services/RecordService/Users/VisibleProfiles.swift"
        expectNone(
            Repository.sources.filter {
                $0.path.hasPrefix("Sources/Services/") && !$0.path.hasPrefix("Sources/Services/Identity/")
                    && $0.path != place
            }.flatMap { file in
                file.numbered.filter { $0.line.holds("rofile") && $0.line.contains(pattern) }.map { number, _ in
                    Violation(
                        path: file.path, line: number,
                        remedy: "reads a profile: VisibleProfiles does, and decides what the viewer may know")
                }
            })
    }

    /// Code that writes to standard output or standard error itself.
    private static let printing = [
        "Sources/fanfare/Output.swift": "escapes what a terminal obeys",
        "Sources/Libraries/Telemetry/Log.swift": "log lines, whose texts are escaped",
        "Sources/Core/Stages/KillOrder.swift": "a fixed line, before the process is killed",
        "Sources/Libraries/Waiting/DedicatedThread.swift": "a thread's name, into a file of the kernel",
    ]

    @Test("nothing is printed around Output and Log")
    func printing() {
        let calls = /\b(?:debugPrint|print|dump|puts|fputs|fputc|putc|putchar|perror|v?f?printf|NSLog|writev)\(/
        let places = /\bSTD(?:OUT|ERR)_FILENO\b|\bstd(?:out|err)\b|FileHandle\.standard|\bwrite\(\s*[12]\b/
        expectNone(
            Repository.sources.filter { !$0.isGenerated && Self.printing[$0.path] == nil }.flatMap { file in
                file.numbered.filter {
                    !$0.line.holds("///") && ($0.line.contains(calls) || $0.line.contains(places))
                }.map { number, _ in
                    Violation(
                        path: file.path, line: number,
                        remedy: "prints: use Output of the program, which escapes what a terminal obeys, or Log")
                }
            })
        expectNone(
            Self.printing.keys.filter { !Repository.exists($0) }.map {
                Violation(path: $0, remedy: "is named in HygieneTests.swift and is absent: leave it out there")
            })
    }

    @Test("the list of sleeps names files that exist")
    func sleepers() {
        expectNone(
            Self.sleeps.keys.filter { !Repository.exists($0) }.map {
                Violation(path: $0, remedy: "is gone: take it from the list in HygieneTests.swift")
            })
    }

    @Test("code that the compiler cannot check is in Libraries, or is a class of CloudKit's, with its reason")
    func unchecked() {
        let pattern = /@unchecked\s+Sendable|nonisolated\(unsafe\)/
        expectNone(
            Repository.sources.flatMap { file in
                file.numbered.compactMap { number, line in
                    guard line.holds("unchecked") || line.holds("unsafe"), line.contains(pattern),
                        !line.trimmed.hasPrefix("//")
                    else { return nil }
                    // CloudKit declares classes that apps change, and subclasses, as Sendable.
                    let isClass = file.path.hasPrefix("Sources/Clients/") && line.holds("class ")
                    if !file.path.hasPrefix("Sources/Libraries/"), !isClass {
                        return Violation(
                            path: file.path, line: number,
                            remedy: "is unchecked outside of Libraries: use a Mutex, an actor or a value")
                    }
                    // The reason of a class is above its documentation.
                    let before = file.lines[..<(number - 1)].last { !isClass || !$0.trimmed.hasPrefix("///") }
                    if line.contains("//") || before?.trimmed.hasPrefix("//") == true { return nil }
                    return Violation(
                        path: file.path, line: number,
                        remedy: "is unchecked: say in a comment above it why it is safe")
                }
            })
    }

    @Test("nothing names a folder outside of the repository")
    func foreignFolders() {
        // In two parts, as this file is searched too.
        let folders = ["../" + "shared", "/wo" + "rk/"]
        expectNone(
            Repository.files.filter { $0.path != ".ci/run" }.flatMap { file in
                file.numbered.compactMap { number, line in
                    guard line.holds("shared") || line.holds("work"), let folder = folders.first(where: line.contains)
                    else { return nil }
                    return Violation(
                        path: file.path, line: number,
                        remedy: "names \(folder), which a clone does not have: leave it out, or take it as a setting")
                }
            })
    }
}

extension String {
    fileprivate var trimmed: String { trimmingCharacters(in: .whitespaces) }
}
