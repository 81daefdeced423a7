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
        "Tests/Core/StagesTests/PartitionedStageTests.swift": (1, "work that does not end until it is cancelled"),
        "Tests/Support/Deadline.swift": (2, "deadlines, and asking again what tells nobody when it changes"),
        "Tests/Support/KafkaCluster.swift": (1, "asks a broker's log until it has started, outside of any task"),
        "Tests/Libraries/KafkaClientTests/Observed.swift": (2, "a deadline; and a handler that blocks its thread"),
        "Tests/Libraries/KafkaClientTests/GroupTests.swift": (1, "a broker's clock has to pass its poll interval"),
        "Tests/Libraries/HTTPServerTests/Signal.swift": (1, "a deadline"),
        "Tests/Services/FeedsTests/FeedReadingTests.swift": (
            1, "a log that has nothing more, until it is cancelled"
        ),
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

    @Test("the list of sleeps names files that exist")
    func sleepers() {
        expectNone(
            Self.sleeps.keys.filter { !Repository.exists($0) }.map {
                Violation(path: $0, remedy: "is gone: take it from the list in HygieneTests.swift")
            })
    }

    @Test("what the compiler cannot check stands in Libraries, or is a class of CloudKit's, with its reason")
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
                    // The reason of a class stands above its documentation.
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
